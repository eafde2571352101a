import { assert, describe, it } from "vitest"
import type { ContainerState, Pod, PodSpec, PodStatus } from "../../src/index.ts"
import { noErrors } from "../../src/validation/FieldError.ts"
import { fieldErrorText } from "../../src/validation/index.ts"
import { validatePodStatusUpdate } from "../../src/validation/podStatus.ts"

const podOf = (status: PodStatus, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "d", uid: "u", resourceVersion: "1" },
  spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", ...spec },
  status
})

const faults = (before: Pod, after: Pod): ReadonlyArray<string> =>
  validatePodStatusUpdate(after, before).map(fieldErrorText)

const runningState: ContainerState = { running: {} }
const terminatedState = (exitCode: number): ContainerState => ({ terminated: { exitCode } })
const stateOf = (state: ContainerState): PodStatus => ({ containerStatuses: [{ name: "c", state }] })
const resurrection = "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"

describe("a container that has ended", () => {
  const rule = (values: ReadonlyArray<number>, action: "Restart" | "RestartAllContainers" = "Restart") => ({
    restartPolicy: "Never" as const,
    restartPolicyRules: [{ action, exitCodes: { operator: "In" as const, values } }]
  })
  it.each<[string, Partial<PodSpec>, number, boolean]>([
    ["under Never", { restartPolicy: "Never" }, 1, false],
    ["under Always", { restartPolicy: "Always" }, 0, true],
    ["well, under OnFailure", { restartPolicy: "OnFailure" }, 0, false],
    ["badly, under OnFailure", { restartPolicy: "OnFailure" }, 1, true],
    ["under its own Always", { containers: [{ name: "c", image: "i", restartPolicy: "Always" }] }, 0, true],
    ["with a code that its rule restarts", { containers: [{ name: "c", image: "i", ...rule([42]) }] }, 42, true],
    ["with a code that its rule does not", { containers: [{ name: "c", image: "i", ...rule([42]) }] }, 41, false],
    [
      "beside one that restarts all",
      { containers: [{ name: "c" }, { name: "d", ...rule([42], "RestartAllContainers") }] },
      0,
      true
    ]
  ])("%s", (_, spec, exitCode, mayRun) => {
    const before = podOf(stateOf(terminatedState(exitCode)), spec)
    assert.deepStrictEqual(faults(before, podOf(stateOf(runningState), spec)), mayRun ? [] : [resurrection])
  })

  it("may end again, and may be missing from the list", () => {
    const before = podOf(stateOf(terminatedState(1)))
    assert.deepStrictEqual(faults(before, podOf(stateOf(terminatedState(2)))), [])
    assert.deepStrictEqual(faults(before, podOf({ containerStatuses: [] })), [])
  })
})

describe("the status of a pod", () => {
  it("skips validation when nothing changed", () => {
    const pod = podOf({ phase: "Running", qosClass: "BestEffort" })
    assert.strictEqual(validatePodStatusUpdate(pod, pod), noErrors)
    assert.strictEqual(validatePodStatusUpdate({ ...pod }, pod), noErrors)
  })

  it("accepts any phase after any other", () => {
    assert.deepStrictEqual(faults(podOf({ phase: "Succeeded" }), podOf({ phase: "Pending" })), [])
  })

  it("has one address of each family at most", () => {
    const ips = (...list: ReadonlyArray<string>) => podOf({ podIPs: list.map((ip) => ({ ip })) })
    assert.deepStrictEqual(faults(podOf({}), ips("10.0.0.1", "fd00::1")), [])
    assert.deepStrictEqual(faults(podOf({}), ips("10.0.0.1", "10.0.0.2")), [
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family'
    ])
  })

  it("has the host's first address in both fields", () => {
    assert.deepStrictEqual(faults(podOf({}), podOf({ hostIP: "1.1.1.1", hostIPs: [{ ip: "2.2.2.2" }] })), [
      'status.hostIPs[0].ip: Invalid value: "2.2.2.2": must be equal to `hostIP`'
    ])
  })

  it("nominates no node once the pod is bound", () => {
    const bound = { nodeName: "n" }
    assert.deepStrictEqual(faults(podOf({}, bound), podOf({ nominatedNodeName: "m" }, bound)), [
      "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"
    ])
  })

  it("cannot bind the pod", () => {
    assert.deepStrictEqual(faults(podOf({}), podOf({}, { nodeName: "n" })), [
      "status.nodeName: Forbidden: may not be changed directly"
    ])
  })
})
