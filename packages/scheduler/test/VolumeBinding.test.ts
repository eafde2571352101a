import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { claimNamesOf } from "../src/cache/Volumes.ts"
import { Algorithm, defaultProfile, SchedulingCache } from "../src/index.ts"
import { nodeNamed, podNamed, withScheduler } from "./withScheduler.ts"

const claim = (name: string, more: object = { spec: { volumeName: "pv" } }): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
  ...more
})

const volumeIn = (...zones: ReadonlyArray<string>): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: zones.map((zone) => ({
          matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }]
        }))
      }
    }
  }
})

const withClaim = (claimName: string): Pod =>
  podNamed("p", "1", { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] })

const decide = (pod: Pod, fill: (cache: SchedulingCache) => void) => {
  const cache = new SchedulingCache()
  cache.setNode(nodeNamed("a", { zone: "a" }))
  cache.setNode(nodeNamed("b", { zone: "b" }))
  fill(cache)
  const algorithm = new Algorithm(cache, { profile: defaultProfile, percentageOfNodesToScore: 0, random: () => 0 })
  const decision = algorithm.schedule(cache.describe(pod))
  return decision._tag === "Bind" ? decision.node : decision.message
}

const PREEMPTION_NOT_HELPFUL =
  " no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."

/** DynamicResources has not seen a pod that a plugin before it rejects, and reports so; preemption does not run. */
const CLAIMS_NOT_SEEN = " not found"

describe("VolumeBinding", () => {
  it("schedules a pod only where its bound volume is accessible, by any of the volume's terms", () => {
    const fill = (zones: ReadonlyArray<string>) => (cache: SchedulingCache) => {
      cache.setVolume("pv", volumeIn(...zones))
      cache.setClaim("default", "data", claim("data"))
    }
    assert.strictEqual(decide(withClaim("data"), fill(["b"])), "b")
    assert.strictEqual(decide(withClaim("data"), fill(["c", "a"])), "a")
    assert.strictEqual(
      decide(withClaim("data"), fill(["c"])),
      `0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.${PREEMPTION_NOT_HELPFUL}`
    )
  })

  it("reports an invalid claim", () => {
    const missing = decide(withClaim("data"), (cache) => cache.setClaim("default", "other", claim("other")))
    assert.strictEqual(missing, `0/2 nodes are available: persistentvolumeclaim "data" not found.${CLAIMS_NOT_SEEN}`)
    const gone = decide(withClaim("data"), (cache) => cache.setClaim("default", "data", claim("data")))
    assert.strictEqual(gone, `0/2 nodes are available: persistentvolume "pv" not found.${CLAIMS_NOT_SEEN}`)
    const lost = claim("data", { spec: { volumeName: "pv" }, status: { phase: "Lost" } })
    assert.strictEqual(
      decide(withClaim("data"), (cache) => cache.setClaim("default", "data", lost)),
      `0/2 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv".${CLAIMS_NOT_SEEN}`
    )
  })

  it("does not bind claims whose class does not wait, and treats a claim with bind-completed as bound", () => {
    const said = (more: object) => {
      const { metadata, ...rest } = claim("data", more)
      return decide(withClaim("data"), (cache) => {
        cache.setVolume("pv", volumeIn("b"))
        cache.setClaim("default", "data", { ...rest, metadata: { name: metadata.name ?? "", namespace: "default" } })
      })
    }
    const unbound = `0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.${CLAIMS_NOT_SEEN}`
    assert.strictEqual(said({}), unbound)
    assert.strictEqual(said({ spec: { storageClassName: "nobody-knows" } }), unbound)
    assert.strictEqual(said({ spec: { volumeName: "pv" } }), unbound)
    assert.strictEqual(said({ spec: { volumeName: "pv" }, status: { phase: "Bound" } }), "b")
  })

  it("waits for the claims of ephemeral volumes, and uses no claim of another pod", () => {
    const pod = podNamed("p", "1", { volumes: [{ name: "scratch", ephemeral: {} }] })
    assert.strictEqual(
      decide(pod, (cache) => cache.setClaim("default", "other", claim("other"))),
      `0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch".${CLAIMS_NOT_SEEN}`
    )
    assert.strictEqual(
      decide(pod, (cache) => cache.setClaim("default", "p-scratch", claim("p-scratch"))),
      `0/2 nodes are available: PVC default/p-scratch was not created for pod default/p (pod is not owner).${CLAIMS_NOT_SEEN}`
    )
  })

  it("excludes no node for volumes without affinity, or before any claim is known", () => {
    const free: PersistentVolume = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv" } }
    const bound = (cache: SchedulingCache) => {
      cache.setVolume("pv", free)
      cache.setClaim("default", "data", claim("data"))
    }
    assert.strictEqual(decide(withClaim("data"), bound), "a")
    assert.strictEqual(
      decide(withClaim("data"), () => undefined),
      "a"
    )
  })

  it("knows the claims of ephemeral volumes by the pod's name", () => {
    const pod = podNamed("p", "1", {
      volumes: [
        { name: "scratch", ephemeral: {} },
        { name: "x", emptyDir: {} }
      ]
    })
    assert.deepStrictEqual(claimNamesOf(pod), ["p-scratch"])
  })

  it("retries the pod when its missing claim is created", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a", { zone: "a" }))
        yield* addNode(nodeNamed("b", { zone: "b" }))
        yield* cluster.create("PersistentVolume", {
          ...volumeIn("b"),
          spec: {
            ...volumeIn("b").spec,
            accessModes: ["ReadWriteOnce"],
            capacity: { storage: "1Gi" },
            hostPath: { path: "/data" }
          }
        })
        const spec = {
          accessModes: ["ReadWriteOnce"] as const,
          resources: { requests: { storage: "1Gi" } },
          volumeName: "pv"
        }
        yield* cluster.create("PersistentVolumeClaim", claim("other", { spec }))
        yield* cluster.create("Pod", withClaim("data"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("p")).spec.nodeName)
        yield* cluster.create("PersistentVolumeClaim", claim("data", { spec }))
        yield* Effect.sleep("12 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "b")
      })
    ))
})

describe("default spreading", () => {
  it("uses Services where no owner has a selector", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        for (const name of ["a", "b", "c"]) yield* addNode(nodeNamed(name, { zone: name }))
        yield* cluster.create("Service", {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "web", namespace: "default" },
          spec: { selector: { app: "web" }, ports: [{ port: 80 }] }
        })
        yield* Effect.sleep("1 second")
        const names = ["p", "q", "r"]
        for (const name of names) {
          yield* cluster.create("Pod", podNamed(name, "10m", {}, { app: "web" }))
          yield* Effect.sleep("1 second")
        }
        const nodes = yield* Effect.forEach(names, (name) => Effect.map(pod(name), ({ spec }) => spec.nodeName))
        assert.deepStrictEqual(nodes.toSorted(), ["a", "b", "c"])
      })
    ))
})
