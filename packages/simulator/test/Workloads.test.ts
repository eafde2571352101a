import type { Deployment, EndpointSlice, Pod, ReplicaSet } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { availabilityOf, makeWorkloads } from "../src/expect/Workloads.ts"

const ownerReferencesTo = (kind: string, name: string) => [
  { apiVersion: "apps/v1", kind, name, uid: `uid-${name}`, controller: true }
]

const deployment = (replicas?: number): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: "web" } },
    template: { metadata: {}, spec: { containers: [] } }
  }
})

const replicaSet = (name: string, owner?: string): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name,
    namespace: "default",
    ...(owner === undefined ? {} : { ownerReferences: ownerReferencesTo("Deployment", owner) })
  },
  spec: { replicas: 1, selector: { matchLabels: { app: "web" } } }
})

const pod = (owner: string | undefined, ready: boolean, deleting = false): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    namespace: "default",
    ...(owner === undefined ? {} : { ownerReferences: ownerReferencesTo("ReplicaSet", owner) }),
    ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {})
  },
  spec: { containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] }
})

describe("workloads", () => {
  it("counts ready pods for the Deployment of their ReplicaSet, and for a ReplicaSet without an owner", () => {
    const workloads = makeWorkloads()
    workloads.workload(deployment(2), 0)
    workloads.workload(replicaSet("web-1", "web"), 0)
    workloads.workload(replicaSet("alone"), 0)
    workloads.pod(undefined, pod("web-1", true), 1_000)
    workloads.pod(undefined, pod("web-1", false), 1_000)
    workloads.pod(undefined, pod("alone", true), 1_000)
    workloads.pod(undefined, pod(undefined, true), 1_000)
    workloads.pod(undefined, pod("of somebody else", true), 1_000)
    assert.deepStrictEqual(
      workloads.all().map(({ kind, name, ready, wanted }) => [kind, name, ready.now(), wanted.now()]),
      [
        ["Deployment", "web", 1, 2],
        ["ReplicaSet", "alone", 1, 1]
      ]
    )
    assert.strictEqual(workloads.find("Deployment", "default", "web")?.ready.now(), 1)
    assert.isUndefined(workloads.find("ReplicaSet", "default", "web-1"))
  })

  it("counts the ready endpoints of a Service over its slices, a dual-stack pod once, and the time without any", () => {
    const workloads = makeWorkloads()
    const slice = (name: string, addressType: "IPv4" | "IPv6", ...ready: ReadonlyArray<boolean>): EndpointSlice => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
      addressType,
      endpoints: ready.map((is) => ({ addresses: ["x"], conditions: { ready: is } }))
    })
    const metadata = { name: "web", namespace: "default" }
    workloads.service({ apiVersion: "v1", kind: "Service", metadata, spec: { selector: { app: "web" } } }, 0)
    workloads.service({ apiVersion: "v1", kind: "Service", metadata: { ...metadata, name: "bare" }, spec: {} }, 0)
    assert.deepStrictEqual(
      workloads.all().map(({ kind, name }) => `${kind}/${name}`),
      ["Service/web"]
    )
    const web = workloads.find("Service", "default", "web")
    workloads.slice(slice("a", "IPv4", true, false), false, 1_000)
    workloads.slice(slice("b", "IPv4", true), false, 2_000)
    workloads.slice(slice("c", "IPv6", true), false, 2_000)
    assert.strictEqual(web?.ready.now(), 2)
    workloads.slice(slice("a", "IPv4", false, false), false, 5_000)
    workloads.slice(slice("b", "IPv4", true), true, 6_000)
    assert.strictEqual(web?.ready.now(), 1)
    workloads.slice(slice("c", "IPv6", false), false, 7_000)
    workloads.slice(slice("a", "IPv4", true, true), false, 9_500)
    assert.deepStrictEqual(web === undefined ? undefined : availabilityOf(web, 20_000), {
      minReady: 0,
      unavailableSeconds: 2.5
    })
  })

  it("does not count a pod that is not ready, terminating, or deleted", () => {
    const workloads = makeWorkloads()
    workloads.workload(deployment(3), 0)
    workloads.workload(replicaSet("web-1", "web"), 0)
    const up = pod("web-1", true)
    for (const at of [1, 2, 3]) workloads.pod(undefined, up, at)
    const ready = () => workloads.find("Deployment", "default", "web")?.ready.now()
    workloads.pod(up, pod("web-1", false), 4)
    assert.strictEqual(ready(), 2)
    workloads.pod(up, pod("web-1", true, true), 5)
    assert.strictEqual(ready(), 1)
    workloads.pod(pod("web-1", true, true), undefined, 6)
    assert.strictEqual(ready(), 1)
    workloads.pod(up, undefined, 7)
    assert.strictEqual(ready(), 0)
  })

  it("assumes one wanted replica for a Deployment without replicas", () => {
    const workloads = makeWorkloads()
    workloads.workload(deployment(), 0)
    assert.strictEqual(workloads.all()[0]?.wanted.now(), 1)
  })
})

/** A workload of these readiness and replica counts, by second. */
const workload = (ready: Readonly<Record<number, number>>, wanted: Readonly<Record<number, number>> = { 0: 3 }) => {
  const workloads = makeWorkloads()
  for (const [at, replicas] of Object.entries(wanted)) workloads.workload(deployment(replicas), Number(at) * 1000)
  const found = workloads.find("Deployment", "default", "web")
  if (found === undefined) throw new Error("no workload")
  for (const [at, count] of Object.entries(ready)) found.ready.set(Number(at) * 1000, count)
  return availabilityOf(found, 100_000)
}

describe("availability", () => {
  it("begins when all replicas are ready for the first time", () => {
    assert.deepStrictEqual(workload({ 1: 1, 10: 3 }), { minReady: 3, unavailableSeconds: 0 })
  })

  it("sums the time with too few replicas, to the end", () => {
    assert.deepStrictEqual(workload({ 1: 3, 20: 2, 25: 1, 30: 3, 90: 2 }), { minReady: 1, unavailableSeconds: 20 })
  })

  it("reports that a workload was never all ready and nothing was counted", () => {
    assert.deepStrictEqual(workload({ 5: 2 }), { minReady: 0, unavailableSeconds: 0, neverAllReady: true })
    assert.deepStrictEqual(workload({ 5: 2 }, { 0: 0 }), { minReady: 0, unavailableSeconds: 0 })
  })

  it("reports when all replicas were first ready if that was late", () => {
    assert.deepStrictEqual(workload({ 60: 3 }), { minReady: 3, unavailableSeconds: 0 })
    assert.deepStrictEqual(workload({ 61: 3 }), { minReady: 3, unavailableSeconds: 0, allReadyFrom: 61 })
  })

  it("counts the wait for new replicas after scaling up, but no wait after scaling down", () => {
    assert.deepStrictEqual(workload({ 1: 3, 55: 5 }, { 0: 3, 50: 5 }), { minReady: 3, unavailableSeconds: 5 })
    assert.deepStrictEqual(workload({ 1: 3, 50: 2 }, { 0: 3, 49: 2 }), { minReady: 2, unavailableSeconds: 0 })
  })

  it("is measured in milliseconds", () => {
    assert.deepStrictEqual(workload({ 1: 3, 20.25: 2, 21.4: 3 }), { minReady: 2, unavailableSeconds: 1.15 })
  })
})
