import { assert, describe, it } from "vitest"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

const TWO_PERIODS = { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" }
const slowPod = (name: string, stopSeconds: number, spec: Readonly<Record<string, unknown>> = {}) => {
  const pod = podWithoutOwner(name, "a-0", { terminationGracePeriodSeconds: 120, ...spec })
  const annotations = { "rollcall.dev/behaviour": JSON.stringify({ "*": { stopSeconds } }) }
  return { ...pod, metadata: { ...pod.metadata, annotations } }
}
const a0 = { names: ["a-0"] }

const rehearse = (
  kubelet: Readonly<Record<string, unknown>>,
  events: ReadonlyArray<Readonly<Record<string, unknown>>>,
  objects: ReadonlyArray<unknown> = [slowPod("p", 7)],
  group: Readonly<Record<string, unknown>> = {}
) => run({ duration: "6m", cluster: { nodes: [{ name: "a", kubelet, ...group }], objects }, events })

const times = (result: ReturnType<typeof run>, type: "ShutdownStarted" | "ShutdownPhase" | "ShutdownFinished") =>
  entriesOf(result, type).map(({ at }) => at)

const endTimes = (result: ReturnType<typeof run>) =>
  entriesOf(result, "PodPhaseChanged")
    .filter(({ to }) => to === "Failed")
    .map(({ at, pod, reason }) => [at, pod, reason])

describe("a machine during shutdown", () => {
  it("does not wait for its pods without a kubelet configuration for shutdown", () => {
    const result = rehearse({}, [{ at: "1m", do: "shutdown", nodes: a0 }])
    assert.deepStrictEqual(
      entriesOf(result, "ShutdownStarted").map(({ delaySeconds }) => delaySeconds),
      [0]
    )
    assert.deepStrictEqual([times(result, "ShutdownPhase"), times(result, "ShutdownFinished")], [[], [61]])
    assert.deepStrictEqual(endTimes(result), [], "nobody is left to say that the pod is gone")
  })

  it("does not wait for its pods if its kubelet is not running", () => {
    const result = rehearse(TWO_PERIODS, [
      { at: "30s", fault: "kubelet-stop", nodes: a0 },
      { at: "1m", do: "shutdown", nodes: a0 }
    ])
    assert.deepStrictEqual([times(result, "ShutdownPhase"), times(result, "ShutdownFinished")], [[], [61]])
  })

  it("continues without its kubelet if that exits during the shutdown, which releases the lock", () => {
    const result = rehearse(
      TWO_PERIODS,
      [
        { at: "1m", do: "shutdown", nodes: a0 },
        { at: "65s", fault: "kubelet-stop", nodes: a0 }
      ],
      [slowPod("p", 100)]
    )
    assert.deepStrictEqual([times(result, "ShutdownPhase"), times(result, "ShutdownFinished")], [[60], [66]])
  })

  it("ends critical pods last, and is off a second after the last lock is released", () => {
    const result = rehearse(
      TWO_PERIODS,
      [{ at: "1m", do: "shutdown", nodes: a0 }],
      [slowPod("p", 7), slowPod("dns", 4, { priorityClassName: "system-node-critical" })]
    )
    assert.deepStrictEqual(endTimes(result), [
      [67, "p", "Terminated"],
      [71, "dns", "Terminated"]
    ])
    assert.deepStrictEqual(times(result, "ShutdownFinished"), [72])
  })

  it("uses the priority of static pods, which is usually unset", () => {
    const result = rehearse(
      TWO_PERIODS,
      [{ at: "1m", do: "shutdown", nodes: a0 }],
      [slowPod("dns", 4, { priorityClassName: "system-node-critical" })],
      {
        staticPods: [
          {
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name: "proxy", namespace: "kube-system" },
            spec: { containers: [{ name: "c", image: "x" }] }
          }
        ]
      }
    )
    const phases = entriesOf(result, "ShutdownPhase").map(({ pods, priority }) => [
      priority,
      pods.map(({ namespace, pod }) => `${namespace}/${pod}`)
    ])
    assert.deepStrictEqual(phases, [
      [0, ["kube-system/proxy-a-0"]],
      [2_000_000_000, ["default/dns"]]
    ])
  })

  it("can be booted and shut down again, each time in full", () => {
    const result = rehearse(TWO_PERIODS, [
      { at: "1m", do: "shutdown", nodes: a0 },
      { at: "2m", do: "boot", nodes: a0 },
      { at: "150s", do: "apply", objects: [slowPod("q", 3)] },
      { at: "3m", do: "shutdown", nodes: a0 }
    ])
    assert.deepStrictEqual(
      [times(result, "ShutdownStarted"), times(result, "ShutdownFinished")],
      [
        [60, 180],
        [68, 184]
      ]
    )
    assert.deepStrictEqual(endTimes(result).at(-1), [183, "q", "Terminated"])
  })

  it("cannot be cancelled once no lock delays it", () => {
    const result = rehearse(TWO_PERIODS, [
      { at: "1m", do: "shutdown", nodes: a0 },
      { at: "67.5s", do: "cancel-shutdown", nodes: a0 }
    ])
    assert.deepStrictEqual(times(result, "ShutdownFinished"), [68])
    assert.isEmpty(entriesOf(result, "ShutdownCancelled"))
  })

  it("has no effect on a machine that is off", () => {
    const result = rehearse(TWO_PERIODS, [
      { at: "30s", do: "poweroff", nodes: a0 },
      { at: "1m", do: "shutdown", nodes: a0 },
      { at: "61s", do: "cancel-shutdown", nodes: a0 }
    ])
    assert.isEmpty(entriesOf(result, "ShutdownStarted"))
  })
})
