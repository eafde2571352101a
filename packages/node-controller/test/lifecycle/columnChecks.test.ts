import { formatMicroTime, formatTime, type Lease, type Node } from "@rollcall/api"
import { RenewalColumns, type RenewalOwner, type RenewalStay } from "@rollcall/cluster"
import { EvictionZones } from "@rollcall/eviction/rules"
import { makeVirtualTime } from "@rollcall/time"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { nodeLifecycleSettings } from "../../src/index.ts"
import { NodeCheck } from "../../src/lifecycle/NodeCheck.ts"
import { NodeRecords } from "../../src/lifecycle/NodeRecords.ts"
import { START_MS } from "../TestCluster.ts"

const settings = nodeLifecycleSettings({ nodeMonitorGracePeriodMs: 12_000, nodeStartupGracePeriodMs: 20_000 })
const names = ["n1", "n2"]
const INTERVAL_MS = 5000

type Step =
  | { readonly kind: "pass" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "post" | "taint" | "turn" | "leave"; readonly name: string }

const name = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "pass" } as const) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(100, 1700, 5000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("post" as const), name }) },
  fc.record({ kind: fc.constantFrom("taint" as const, "turn" as const, "leave" as const), name })
)

const emptyNode = (nodeName: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: nodeName, creationTimestamp: formatTime(START_MS), labels: {} },
  spec: {},
  status: {}
})

const withReady = (node: Node, status: string, turnedAt: string, now: number): Node => ({
  ...node,
  status: {
    conditions: [{ type: "Ready", status, lastHeartbeatTime: formatTime(now), lastTransitionTime: turnedAt }]
  }
})

const changedBy = ({ kind }: Step, node: Node, now: number): Node => {
  const ready = node.status?.conditions?.[0]
  const turned = ready?.status === "True" ? "False" : "True"
  if (kind === "turn" || ready === undefined) return withReady(node, turned, formatTime(now), now)
  if (kind === "post") return withReady(node, ready.status, ready.lastTransitionTime ?? "", now)
  return { ...node, spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }] } }
}

/** Plays the steps with the Leases in columns, or with each renewal an object. Returns what each pass found. */
const resultsOf = (steps: ReadonlyArray<Step>, inColumns: boolean): ReadonlyArray<unknown> => {
  const { runUntil, timers } = makeVirtualTime(START_MS)
  const zones = new EvictionZones(settings)
  const records = new NodeRecords()
  const checks = new NodeCheck(zones, settings, records)
  const leases = new Map<string, Lease>()
  const stays = new Map<string, RenewalStay>()
  let revision = 0

  const renewedLease = (name: string, renewedMs: number, at: number): Lease => {
    const spec = { renewTime: formatMicroTime(renewedMs) }
    const metadata = { name, namespace: "kube-node-lease", resourceVersion: String(at) }
    const lease: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec }
    const old = leases.get(name)
    if (old === undefined) records.setLease(name, lease)
    else records.replaceLease(name, old, lease)
    leases.set(name, lease)
    return lease
  }
  const columns: RenewalColumns = new RenewalColumns(
    {
      renew: () => ++revision,
      make: (id) =>
        renewedLease(columns.ownerOf(id).name, columns.renewedMs[id] as number, columns.revision[id] as number),
      release: () => {}
    },
    timers.numbered as NonNullable<typeof timers.numbered>
  )
  const renew = (name: string): void => {
    const lease = renewedLease(name, timers.now(), ++revision)
    const owner: RenewalOwner = { name, lease, leaseMade: () => {}, left: () => {}, fire: () => renew(name) }
    const times = { intervalMs: INTERVAL_MS, jitterMs: 0, seed: 0 }
    const stay = inColumns ? columns.enter(owner, times, timers.now(), revision) : undefined
    if (stay === undefined) timers.after(INTERVAL_MS, () => renew(name))
    else stays.set(name, stay)
  }
  if (inColumns) records.setColumns(columns)
  for (const name of names) {
    records.setNode(name, withReady(emptyNode(name), "True", formatTime(START_MS), START_MS))
    renew(name)
  }

  const found: Array<unknown> = []
  for (const one of steps) {
    runUntil(timers.now() + (one.kind === "wait" ? one.ms : 300))
    const now = timers.now()
    if (one.kind === "leave") stays.get(one.name)?.leave()
    else if (one.kind === "pass") {
      zones.resetCounts()
      const works = records.present().map((record) => checks.check(record, record.node as Node, now))
      const health = records.present().map(({ health }) => [health?.probeMs, health?.status, health?.readyTransitionMs])
      found.push({
        works: JSON.stringify(works),
        health,
        zones: zones.all().map(({ notReady, ready }) => [ready, notReady])
      })
    } else if (one.kind !== "wait")
      records.setNode(one.name, changedBy(one, records.find(one.name)?.node ?? emptyNode(one.name), now))
  }
  return found
}

describe("checks of nodes whose Leases are in columns", () => {
  it("find what they find with every renewal an object", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
        assert.deepStrictEqual(resultsOf(steps, true), resultsOf(steps, false))
      }),
      { numRuns: 500 }
    )
  })
})
