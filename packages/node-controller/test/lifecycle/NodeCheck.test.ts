import { formatMicroTime, formatTime, type Node } from "@rollcall/api"
import { EvictionZones } from "@rollcall/eviction/rules"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { nodeLifecycleSettings } from "../../src/index.ts"
import { NodeCheck } from "../../src/lifecycle/NodeCheck.ts"
import { NodeRecords } from "../../src/lifecycle/NodeRecords.ts"
import { START_MS } from "../TestCluster.ts"

const settings = nodeLifecycleSettings({ nodeMonitorGracePeriodMs: 12_000, nodeStartupGracePeriodMs: 20_000 })
const names = ["n1", "n2", "n3"]

type Event =
  | { readonly kind: "pass" }
  | { readonly kind: "renew"; readonly name: string; readonly aheadMs: number }
  | { readonly kind: "status"; readonly name: string; readonly ready: string | undefined }
  | { readonly kind: "taint"; readonly name: string; readonly key: string | undefined }
  | { readonly kind: "label"; readonly name: string; readonly zone: string; readonly excluded: boolean }
  | { readonly kind: "gone"; readonly name: string }

const name = fc.constantFrom(...names)
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "pass" } as const) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("renew" as const), name, aheadMs: fc.constantFrom(0, 0, 0, -9000) })
  },
  fc.record({
    kind: fc.constant("status" as const),
    name,
    ready: fc.constantFrom("True", "False", "Unknown", undefined)
  }),
  fc.record({
    kind: fc.constant("taint" as const),
    name,
    key: fc.constantFrom("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", undefined)
  }),
  fc.record({ kind: fc.constant("label" as const), name, zone: fc.constantFrom("a", "b"), excluded: fc.boolean() }),
  fc.record({ kind: fc.constant("gone" as const), name })
)

const emptyNode = (nodeName: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: nodeName, creationTimestamp: formatTime(START_MS), labels: {} },
  spec: {},
  status: {}
})

const applyEvent = (node: Node, change: Event, now: number): Node => {
  switch (change.kind) {
    case "status": {
      const times = { lastHeartbeatTime: formatTime(now), lastTransitionTime: formatTime(now) }
      const conditions = change.ready === undefined ? [] : [{ type: "Ready", status: change.ready, ...times }]
      return { ...node, status: { conditions } }
    }
    case "taint":
      return { ...node, spec: { taints: change.key === undefined ? [] : [{ key: change.key, effect: "NoExecute" }] } }
    case "label": {
      const excluded = change.excluded ? { "node.kubernetes.io/exclude-disruption": "" } : {}
      const labels = { "topology.kubernetes.io/zone": change.zone, ...excluded }
      return { ...node, metadata: { ...node.metadata, labels } }
    }
    default:
      return node
  }
}

/** Plays the events; `forgetful` makes every look a whole one. Returns all that was found, step by step. */
const resultsOf = (events: ReadonlyArray<Event>, forgetful: boolean): ReadonlyArray<unknown> => {
  let now = START_MS
  const zones = new EvictionZones(settings)
  const records = new NodeRecords()
  const looks = new NodeCheck(zones, settings, records)
  const found: Array<unknown> = []
  for (const step of events) {
    now += 1700
    if (step.kind === "renew") {
      const spec = { renewTime: formatMicroTime(now + step.aheadMs) }
      const metadata = { name: step.name, namespace: "kube-node-lease" }
      records.setLease(step.name, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec })
    } else if (step.kind === "gone") records.setNode(step.name, undefined)
    else if (step.kind !== "pass") {
      records.setNode(step.name, applyEvent(records.find(step.name)?.node ?? emptyNode(step.name), step, now))
    } else {
      zones.resetCounts()
      const works = records.present().map((record) => {
        if (forgetful) record.lastCheck = undefined
        return looks.check(record, record.node as Node, now)
      })
      found.push({
        works,
        health: records.present().map(({ health }) => ({ ...health })),
        zones: zones
          .all()
          .map(({ key, notReady, queue, ready }) => ({ key, ready, notReady, known: queue.known().sort() })),
        heads: zones.all().map(({ queue }) => queue.queued().sort())
      })
    }
  }
  return found
}

describe("a check that relies on the last one", () => {
  it("has the result of a full check", () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 5, maxLength: 60 }), (events) => {
        assert.deepStrictEqual(resultsOf(events, false), resultsOf(events, true))
      }),
      { numRuns: 500 }
    )
  })
})
