import { assert, describe, it } from "vitest"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

const labels = { app: "web" }

const web = (replicas: number, pod: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }], ...pod } }
  }
})

const budget = (spec: Readonly<Record<string, unknown>>) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { ...spec, selector: { matchLabels: labels } }
})

const daemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "proxy", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "proxy" } },
    template: { metadata: { labels: { app: "proxy" } }, spec: { containers: [{ name: "proxy", image: "proxy:1" }] } }
  }
}

const nodes = [{ name: "a", count: 3 }]
const all = { group: "a" }

const runDrain = (objects: ReadonlyArray<object>, drain: Readonly<Record<string, unknown>>, duration = "6m") =>
  run({ duration, cluster: { nodes, objects }, events: [{ at: "2m", do: "drain", ...drain }] })

const deletionsByDrain = (result: ReturnType<typeof run>) =>
  entriesOf(result, "PodDeletionRequested").filter(({ by }) => by === "drain")

describe("a drain in a rehearsal", () => {
  it("never goes below a budget, and retries every five seconds", () => {
    const result = runDrain([web(4), budget({ maxUnavailable: 1 })], { nodes: { names: ["a-0", "a-1"] } })
    const gone = deletionsByDrain(result)
    assert.isAtLeast(gone.length, 2)
    let ready = 0
    let fewest = Number.POSITIVE_INFINITY
    for (const entry of result.trace) {
      if (entry.type === "PodReadyChanged") ready += entry.ready ? 1 : -1
      if (entry.at >= 120) fewest = Math.min(fewest, ready)
    }
    assert.isAtLeast(fewest, 3)
    for (const node of ["a-0", "a-1"]) {
      const times = gone.filter((entry) => entry.node === node).map(({ at }) => Math.round(at))
      assert.isTrue(
        times.every((at) => (at - (times[0] ?? 0)) % 5 === 0),
        `${node}: ${times.join()}`
      )
    }
    assert.deepStrictEqual(result.warnings, [])
  })

  it("reports at the end which pods it still waits for, with the budget's message", () => {
    const result = runDrain([web(2), budget({ minAvailable: 2 })], { nodes: all })
    assert.deepStrictEqual(deletionsByDrain(result), [])
    assert.isAtLeast(result.warnings.length, 1)
    for (const warning of result.warnings) {
      assert.match(
        warning,
        /^spec\.events\[0\]: waits for pod default\/web-\S+ to the end: The disruption budget web needs 2 healthy pods and has 2 currently$/
      )
    }
  })

  it("stops at its timeout, and continues with the next node", () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: labels }
        }
      ]
    }
    const walled = runDrain([web(3, spread), budget({ minAvailable: 3 })], {
      nodes: { names: ["a-0", "a-1"] },
      timeout: "20s"
    })
    assert.lengthOf(walled.warnings, 2)
    for (const [index, warning] of walled.warnings.entries()) {
      assert.match(
        warning,
        new RegExp(
          `^spec\\.events\\[0\\]: node a-${index} is not drained: error when evicting pods/"web-\\S+" -n "default": global timeout reached: 20s$`
        )
      )
    }
  })

  it("refuses what kubectl refuses, and leaves the node cordoned", () => {
    const result = runDrain([daemonSet, podWithoutOwner("p", "a-0")], { nodes: { names: ["a-0"] } })
    assert.deepStrictEqual(deletionsByDrain(result), [])
    assert.lengthOf(entriesOf(result, "CordonChanged"), 1)
    assert.lengthOf(result.warnings, 2)
    assert.match(
      result.warnings[0] ?? "",
      /^spec\.events\[0\]: node a-0 is not drained: cannot delete DaemonSet-managed Pods \(use --ignore-daemonsets to ignore\): default\/proxy-/
    )
    assert.strictEqual(
      result.warnings[1],
      "spec.events[0]: node a-0 is not drained: cannot delete Pods that declare no controller (use --force to override): default/p"
    )
  })

  it("ignores DaemonSet pods and pods that its selector excludes", () => {
    const result = runDrain([daemonSet, podWithoutOwner("p", "a-0")], {
      nodes: { names: ["a-0"] },
      ignoreDaemonsets: true,
      podSelector: "app=proxy"
    })
    assert.deepStrictEqual(deletionsByDrain(result), [])
    assert.lengthOf(result.warnings, 1)
    assert.include(result.warnings[0], "ignoring DaemonSet-managed Pods: default/proxy-")
  })

  it("deletes pods regardless of budgets with disableEviction", () => {
    const result = runDrain([web(2), budget({ minAvailable: 2 })], { nodes: { names: ["a-0"] }, disableEviction: true })
    // The scheduler spread the two pods: one is on the node. Nothing else requests its deletion.
    assert.deepStrictEqual(
      deletionsByDrain(result).map(({ node }) => node),
      ["a-0"]
    )
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested").filter(({ by }) => by === "user"),
      []
    )
    assert.deepStrictEqual(result.warnings, [])
  })
})
