import { assert, describe, it } from "@effect/vitest"
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, fromConnection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { layerResourceClaims } from "../src/index.ts"
import { FINALIZER, newClaim } from "../src/resourceclaims/podClaims.ts"

const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] }
const template: ResourceClaimTemplate = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "t", namespace: "default" },
  spec: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: { devices } }
}
const podOf = (name: string, resourceClaims: Pod["spec"]["resourceClaims"]): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "c", image: "i" }], ...(resourceClaims && { resourceClaims }) }
})
const named = (name: string) => ({ namespace: "default", name })

const run = <A>(test: (cluster: ClusterShape) => Effect.Effect<A, ClusterError, Scope.Scope | Timers>) =>
  runWithApiServer(
    (admin) =>
      test(fromConnection(admin)).pipe(
        Effect.provide(Layer.provide(layerResourceClaims, Cluster.layerConnection(admin)))
      ),
    { server: { managedFields: true }, seed: "resource claims" }
  )
const claimsIn = (cluster: ClusterShape) => Effect.map(cluster.list("ResourceClaim"), ({ items }) => items)
const second = Effect.sleep("1 second")

/** Allocates a claim, and reserves it for pods, as a scheduler does. */
const allocate = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  claim: ResourceClaim,
  ...pods: ReadonlyArray<Pod>
) {
  const finalizers = [...(claim.metadata.finalizers ?? []), FINALIZER]
  const kept = yield* cluster.update("ResourceClaim", { ...claim, metadata: { ...claim.metadata, finalizers } })
  const reservedFor = pods.map(({ metadata }) => ({
    resource: "pods",
    name: metadata.name ?? "",
    uid: metadata.uid ?? ""
  }))
  const allocation = { devices: { results: [{ request: "r", driver: "d.io", pool: "p", device: "x" }] } }
  return yield* cluster.updateStatus("ResourceClaim", { ...kept, status: { allocation, reservedFor } })
})

describe("resourceclaim-controller", () => {
  it("creates the claim of a pod from its template, and says so in the pod's status", () =>
    run((cluster) =>
      Effect.gen(function* () {
        const pod = yield* cluster.create("Pod", podOf("web", [{ name: "gpu", resourceClaimTemplateName: "t" }]))
        yield* second
        const events = (yield* cluster.list("Event")).items.map(({ message, reason }) => `${reason} ${message}`)
        assert.deepStrictEqual(events, [
          'FailedResourceClaimCreation PodResourceClaim gpu: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found'
        ])
        yield* cluster.create("ResourceClaimTemplate", template)
        yield* second
        const [claim, ...others] = yield* claimsIn(cluster)
        assert.lengthOf(others, 0)
        const { annotations, labels, name = "", ownerReferences } = claim?.metadata ?? {}
        assert.match(name, /^web-gpu-[a-z0-9]{5}$/)
        assert.deepStrictEqual(labels, { a: "b" })
        assert.deepStrictEqual(annotations, { c: "d", "resource.kubernetes.io/pod-claim-name": "gpu" })
        const { uid = "" } = pod.metadata
        assert.deepStrictEqual(ownerReferences, [{ apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true }])
        const { status } = yield* cluster.get("Pod", named("web"))
        assert.deepStrictEqual(status?.resourceClaimStatuses, [{ name: "gpu", resourceClaimName: name }])
      })
    ))

  it("reserves an allocated claim for a pod that no scheduler has bound", () =>
    run((cluster) =>
      Effect.gen(function* () {
        const made = {
          apiVersion: "resource.k8s.io/v1",
          kind: "ResourceClaim",
          metadata: named("own"),
          spec: { devices }
        }
        const claim = yield* cluster.create("ResourceClaim", made as ResourceClaim)
        yield* allocate(cluster, claim)
        const pod = podOf("web", [{ name: "gpu", resourceClaimName: "own" }])
        const { metadata } = yield* cluster.create("Pod", { ...pod, spec: { ...pod.spec, nodeName: "n" } })
        yield* second
        const { status } = yield* cluster.get("ResourceClaim", named("own"))
        assert.deepStrictEqual(status?.reservedFor, [{ resource: "pods", name: "web", uid: metadata.uid ?? "" }])
      })
    ))

  it("deallocates a claim when the last pod has ended, and deletes one that was made for it", () =>
    run((cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("ResourceClaimTemplate", template)
        const made = {
          apiVersion: "resource.k8s.io/v1",
          kind: "ResourceClaim",
          metadata: named("own"),
          spec: { devices }
        }
        const own = yield* cluster.create("ResourceClaim", made as ResourceClaim)
        const uses = [
          { name: "gpu", resourceClaimTemplateName: "t" },
          { name: "shared", resourceClaimName: "own" }
        ]
        const [first, last] = [
          yield* cluster.create("Pod", podOf("a", uses)),
          yield* cluster.create("Pod", podOf("b", uses))
        ]
        yield* second
        yield* allocate(cluster, own, first, last)
        for (const claim of yield* claimsIn(cluster)) {
          if (claim.metadata.name?.startsWith("a-")) yield* allocate(cluster, claim, first)
        }
        yield* second
        const namesOf = Effect.map(claimsIn(cluster), (all) =>
          all.map(({ metadata }) => metadata.name?.slice(0, 5)).sort()
        )
        const ownState = Effect.map(cluster.get("ResourceClaim", named("own")), ({ metadata, status }) => [
          status?.reservedFor?.map(({ name }) => name),
          status?.allocation === undefined,
          metadata.finalizers
        ])
        assert.deepStrictEqual(yield* ownState, [["a", "b"], false, [FINALIZER]])
        assert.deepStrictEqual(yield* namesOf, ["a-gpu", "b-gpu", "own"])
        const current = yield* cluster.get("Pod", named("a"))
        yield* cluster.updateStatus("Pod", { ...current, status: { ...current.status, phase: "Succeeded" } })
        yield* second
        assert.deepStrictEqual(yield* namesOf, ["b-gpu", "own"])
        assert.deepStrictEqual(yield* ownState, [["b"], false, [FINALIZER]])
        yield* cluster.delete("Pod", named("b"), { gracePeriodSeconds: 0 })
        yield* second
        assert.deepStrictEqual(yield* ownState, [undefined, true, undefined])
      })
    ))

  it("shortens the names of pod and claim alike, so that both show in the claim's name", () => {
    const name = newClaim(podOf("p".repeat(60), []), { name: "c".repeat(40) }, template).metadata.generateName ?? ""
    assert.strictEqual(name, `${"p".repeat(33)}-${"c".repeat(22)}`)
  })
})
