import { assert, describe, it } from "vitest"
import { entriesOf, planOf, podWithoutOwner, run } from "./run.ts"

const cluster = (objects: ReadonlyArray<unknown> = []) => ({
  nodes: [
    { name: "a", count: 3, zone: "zone-a" },
    { name: "b", count: 3, zone: "zone-b" }
  ],
  objects
})

const specWithLostNode = (release: string, more: Readonly<Record<string, unknown>> = {}) => ({
  release,
  duration: "12m",
  cluster: cluster([podWithoutOwner("p", "b-0")]),
  events: [{ at: "1m", fault: "partition", nodes: { names: ["b-0"] } }],
  ...more
})

/** The deletion requests of the pod: when, by which cause, and with which grace period. */
const deletionRequests = (result: ReturnType<typeof run>) =>
  entriesOf(result, "PodDeletionRequested").map(({ at, by, gracePeriodSeconds }) => ({ at, by, gracePeriodSeconds }))

describe("a cluster of 1.4", () => {
  it("has its node controller delete pods five minutes after the last heartbeat, and then force-delete them", () => {
    const [asked, forced] = deletionRequests(run(specWithLostNode("1.4")))
    assert.deepInclude(asked, { by: "node-controller", gracePeriodSeconds: 30 })
    assert.approximately(asked?.at ?? 0, 60 + 300, 10)
    assert.deepInclude(forced, { by: "node-controller", gracePeriodSeconds: 0 })
    assert.approximately((forced?.at ?? 0) - (asked?.at ?? 0), 35, 6)
  })

  it("obeys --pod-eviction-timeout, which has no effect in later releases", () => {
    const flags = { "kube-controller-manager": ["--pod-eviction-timeout=90s"] }
    const [asked] = deletionRequests(run(specWithLostNode("1.4", { flags })))
    assert.approximately(asked?.at ?? 0, 60 + 90, 10)
    const later = run(specWithLostNode("1.26", { flags }))
    assert.approximately(deletionRequests(later)[0]?.at ?? 0, 60 + 40 + 300, 12)
    assert.lengthOf(later.warnings, 1)
    assert.include(later.warnings[0], "--pod-eviction-timeout has no effect in 1.26")
  })

  it("has no taints, Leases or default tolerations, but has the OutOfDisk condition", () => {
    const result = run(specWithLostNode("1.4"), { traceLeases: true })
    assert.deepStrictEqual(entriesOf(result, "TaintAdded"), [])
    assert.deepStrictEqual(entriesOf(result, "LeaseRenewed"), [])
    const silent = entriesOf(result, "ConditionChanged").filter(({ node, to }) => node === "b-0" && to === "Unknown")
    assert.sameMembers(
      silent.map(({ condition }) => condition),
      ["Ready", "OutOfDisk", "MemoryPressure", "DiskPressure"]
    )
    assert.deepStrictEqual(entriesOf(result, "PodConditionChanged"), [])
  })

  it("schedules no pod on a node whose Ready condition is not True", () => {
    const unbound = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "q" },
      spec: { containers: [{ name: "c", image: "x" }] }
    }
    const events = [
      { at: "1m", fault: "partition", nodes: {} },
      { at: "3m", do: "apply", objects: [unbound] }
    ]
    const [refused] = entriesOf(run(specWithLostNode("1.4", { events })), "PodUnschedulable")
    assert.include(refused?.message, "6 node(s) were not ready")
  })

  it("lets pods fit by their limits, in scheduler and kubelet", () => {
    const big = (name: string, resources: unknown) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ name: "c", image: "x", resources }] }
    })
    const placed = (release: string, resources: unknown) => {
      const objects = ["p", "q"].map((name) => big(name, resources))
      const result = run({
        release,
        duration: "10s",
        cluster: { nodes: [{ name: "n", capacity: { cpu: "4" } }], objects }
      })
      assert.deepStrictEqual(result.bugs ?? [], [])
      return entriesOf(result, "PodReadyChanged").length
    }
    const requested = { requests: { cpu: "3" } }
    const limited = { requests: { cpu: "1" }, limits: { cpu: "3" } }
    assert.deepStrictEqual([placed("1.4", requested), placed("1.26", requested)], [2, 1])
    assert.deepStrictEqual([placed("1.4", limited), placed("1.26", limited)], [1, 2])
  })

  it("binds the pods of DaemonSets to their nodes, and does not evict them", () => {
    const agent = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "agent" },
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image: "x" }] } }
      }
    }
    const result = run(specWithLostNode("1.4", { cluster: cluster([agent]) }))
    assert.lengthOf(entriesOf(result, "PodCreated"), 6)
    assert.deepStrictEqual([entriesOf(result, "PodScheduled"), deletionRequests(result)], [[], []])
  })
})

describe("the grace period of a release", () => {
  it("is 40 s until 1.31, and 50 s from 1.35 on", () => {
    const noticed = ["1.4", "1.26", "1.31", "1.35", "1.36"].map((release) => {
      const { at = 0 } =
        entriesOf(run(specWithLostNode(release)), "ConditionChanged").find(({ to }) => to === "Unknown") ?? {}
      return at
    })
    const [, v126 = 0, v131 = 0, v135 = 0, v136 = 0] = noticed
    assert.deepStrictEqual([v126, v135], [v131, v136])
    assert.approximately(v135 - v131, 10, 0.1)
    assert.isBelow(noticed[0] ?? 0, 60 + 40 + 6)
    assert.strictEqual(planOf(specWithLostNode("1.4")).release.name, "1.4")
  })
})
