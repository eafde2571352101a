import { releases } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { rehearse as play } from "../src/index.ts"
import { entriesOf, planOf, podWithoutOwner, run } from "./run.ts"

type Settings = Readonly<Record<string, unknown>>

const cluster = {
  nodes: [
    { name: "a", count: 2, zone: "zone-a", region: "r1" },
    { name: "b", count: 2, zone: "zone-b", region: "r1" }
  ],
  objects: [podWithoutOwner("p", "a-0")]
}
const a0 = { names: ["a-0"] }

const rehearseWithCloud = (events: ReadonlyArray<Settings>, cloudProvider: Settings = {}, more: Settings = {}) =>
  run({ duration: "8m", cluster, config: { cloudProvider }, events, ...more })

type Result = ReturnType<typeof run>

const eventsWithReason = ({ events }: Result, reason: string) =>
  events.filter((event) => event.reason === reason).map(({ component, message, name }) => [name, component, message])

const taintsOf = (result: Result, key: string) =>
  result.trace.flatMap((entry) =>
    (entry.type === "TaintAdded" || entry.type === "TaintRemoved") && entry.key === key
      ? [`${entry.type} ${entry.node} ${Math.floor(entry.at)}`]
      : []
  )

const SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown"
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"

describe("nodes on machines of a cloud", () => {
  it("are initialized when the rehearsal begins: the run is the same as without a cloud", () => {
    const result = rehearseWithCloud([])
    assert.deepStrictEqual(taintsOf(result, UNINITIALIZED), [])
    assert.deepStrictEqual(eventsWithReason(result, "Synced"), [])
    const without = run({ duration: "8m", cluster })
    assert.deepStrictEqual(result.trace, without.trace)
  })

  it("wait for the cloud when they are added later, and get its provider ID, labels and addresses", () => {
    const machine = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
    const result = rehearseWithCloud(
      [{ at: "2m", for: "1m", fault: "cloud-delete", nodes: a0 }],
      { instanceType: "m8", latency: "3s" },
      { cluster: { ...cluster, objects: [...cluster.objects, machine] } }
    )
    // The replacement machine finds the old Node deleted, and registers its own.
    assert.match(taintsOf(result, UNINITIALIZED).join(), /^TaintAdded a-0 18\d,TaintRemoved a-0 18\d$/)
    assert.deepStrictEqual(eventsWithReason(result, "Synced"), [
      ["a-0", "cloud-node-controller", "Node synced successfully"]
    ])
  })

  it("have a shutdown taint while their machines are off, until they are Ready again", () => {
    for (const off of [
      [
        { at: "1m", do: "poweroff", nodes: a0 },
        { at: "5m", do: "boot", nodes: a0 }
      ],
      [{ at: "1m", for: "4m", fault: "crash", nodes: a0 }]
    ]) {
      const result = rehearseWithCloud(off)
      assert.match(taintsOf(result, SHUTDOWN).join(), /^TaintAdded a-0 1[012]\d,TaintRemoved a-0 30\d$/)
      assert.deepStrictEqual(entriesOf(result, "NodeDeleted"), [])
    }
    assert.deepStrictEqual(taintsOf(rehearseWithCloud([{ at: "1m", fault: "partition", nodes: a0 }]), SHUTDOWN), [])
  })

  it("are deleted once they are not Ready and their machines do not exist", () => {
    const result = rehearseWithCloud([{ at: "1m", fault: "cloud-delete", nodes: a0 }])
    assert.deepStrictEqual(eventsWithReason(result, "DeletingNode"), [
      ["a-0", "cloud-node-lifecycle-controller", "Deleting node a-0 because it does not exist in the cloud provider"]
    ])
    const [deleted] = entriesOf(result, "NodeDeleted")
    assert.strictEqual(deleted?.node, "a-0")
    assert.isBelow(deleted?.at ?? 0, 120)
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested").map(({ by, pod }) => [pod, by]),
      [["p", "pod-gc"]]
    )
  })

  it("are also deleted if the cloud wrongly reports that, unless they are Ready", () => {
    const deny = { at: "1m", fault: "cloud-deny", nodes: a0 }
    assert.deepStrictEqual(entriesOf(rehearseWithCloud([deny]), "NodeDeleted"), [])
    const result = rehearseWithCloud([deny, { at: "2m", for: "90s", fault: "partition", nodes: a0 }])
    assert.deepStrictEqual(
      entriesOf(result, "NodeDeleted").map(({ node }) => node),
      ["a-0"]
    )
  })

  it("stay as they are while the cloud does not answer", () => {
    const gone = { at: "1m", fault: "cloud-delete", nodes: a0 }
    const result = rehearseWithCloud([gone, { at: "30s", for: "4m", fault: "cloud-error" }])
    const [deleted] = entriesOf(result, "NodeDeleted")
    assert.isAtLeast(deleted?.at ?? 0, 270)
    assert.isBelow(deleted?.at ?? 0, 280)
    const now = rehearseWithCloud([gone, { at: "30s", for: "4m", fault: "cloud-error", rate: 0 }])
    assert.isBelow(entriesOf(now, "NodeDeleted")[0]?.at ?? 0, 120)
  })

  it("are initialized one after another by a slow cloud", () => {
    const both = { names: ["a-0", "b-0"] }
    const result = rehearseWithCloud([
      { at: "1m", fault: "cloud-delete", nodes: both },
      { at: "1m", fault: "cloud-latency", by: "20s" }
    ])
    const [first, second] = entriesOf(result, "NodeDeleted").map(({ at }) => at)
    assert.isAtLeast((second ?? 0) - (first ?? 0), 20)
  })

  it("are deleted when the cloud deletes machines that are off", () => {
    const result = rehearseWithCloud(
      [
        { at: "1m", do: "poweroff", nodes: a0 },
        { at: "6m", do: "boot", nodes: a0 }
      ],
      { keepStopped: "3m" }
    )
    const [deleted] = entriesOf(result, "NodeDeleted")
    assert.isAtLeast(deleted?.at ?? 0, 240)
    assert.isBelow(deleted?.at ?? 0, 250)
  })

  it("are checked at the period that cloud-controller-manager is configured with, by file or flag", () => {
    const off = [{ at: "1m", fault: "cloud-delete", nodes: a0 }]
    const at = (more: Settings) => entriesOf(rehearseWithCloud(off, {}, more), "NodeDeleted")[0]?.at
    const cloudControllerManager = { kubeCloudShared: { nodeMonitorPeriod: "40s" } }
    const byFile = at({ config: { cloudProvider: {}, cloudControllerManager } })
    assert.notStrictEqual(byFile, at({}))
    assert.strictEqual(at({ flags: { "cloud-controller-manager": ["--node-monitor-period=40s"] } }), byFile)
  })

  it("are deleted with their pods, by force, in releases whose node controller asks the cloud", () => {
    const plan = planOf({
      duration: "8m",
      cluster,
      config: { cloudProvider: {} },
      events: [
        { at: "1m", fault: "cloud-delete", nodes: a0 },
        { at: "1m", do: "poweroff", nodes: { names: ["b-0"] } }
      ]
    })
    const result = Effect.runSync(play({ ...plan, release: releases["1.4"] }))
    assert.deepStrictEqual(eventsWithReason(result, "DeletingNode"), [
      ["a-0", "controllermanager", "Deleting Node a-0 because it's not present according to cloud provider"]
    ])
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested").map(({ gracePeriodSeconds, pod }) => [pod, gracePeriodSeconds]),
      [["p", 0]]
    )
    assert.deepStrictEqual(taintsOf(result, SHUTDOWN), [])
  })

  it("return only when the cloud answers, in releases whose kubelets ask it", () => {
    const back = (...more: ReadonlyArray<Settings>): number => {
      const plan = planOf({
        duration: "8m",
        cluster,
        config: { cloudProvider: {} },
        events: [{ at: "1m", for: "2m", fault: "cloud-delete", nodes: a0 }, ...more]
      })
      const result = Effect.runSync(play({ ...plan, release: releases["1.4"] }))
      return entriesOf(result, "NodeRegistered").find(({ at, node }) => node === "a-0" && at > 60)?.at ?? Number.NaN
    }
    const soon = back()
    assert.isTrue(soon > 180 && soon < 190)
    const later = back({ at: "170s", for: "1m", fault: "cloud-error" })
    assert.isTrue(later > 230 && later < 240)
  })

  it("are reproducible despite the cloud's random delays", () => {
    const events = [
      { at: "1m", for: "3m", fault: "crash", nodes: { zone: "zone-a" } },
      { at: "2m", for: "3m", fault: "cloud-error", rate: 0.5 }
    ]
    const digest = () => rehearseWithCloud(events, { errorRate: 0.3, latency: "50ms" }).summary.traceDigest
    assert.strictEqual(digest(), digest())
  })
})

describe("a scenario's cloud", () => {
  const refusal = (spec: Settings): string => {
    try {
      planOf({ duration: "1m", cluster, ...spec })
      return ""
    } catch (error) {
      return String(error)
    }
  }

  it("is required by cloud faults, and every field is validated", () => {
    const fault = { at: 0, fault: "cloud-error" }
    assert.include(refusal({ events: [fault] }), "spec.events[0].fault: cloud-error needs spec.config.cloudProvider")
    assert.include(refusal({ config: { cloudProvider: { latnecy: 1 } } }), "latency")
    assert.include(refusal({ config: { cloudProvider: { errorRate: 2 } } }), "a number from 0 to 1")
    assert.strictEqual(refusal({ config: { cloudProvider: { instances: { a: { instanceType: "x" } } } } }), "")
  })
})
