import { assert, describe, it } from "@effect/vitest"
import {
  annotationBindCompleted,
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod
} from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { podUsesClaim } from "../src/rules.ts"
import { claimOf, classOf, nodeOf, podOf, volumeOf, withVolumeControllers } from "./withVolumeControllers.ts"

const inDefault = { namespace: "default" }
const names = ["a", "b", "c"]

type Kind = "PersistentVolume" | "PersistentVolumeClaim" | "Pod"

/** Watches a cluster, and checks what it sees against the invariants. */
class InvariantChecker {
  readonly claims = new Map<string, PersistentVolumeClaim>()
  readonly volumes = new Map<string, PersistentVolume>()
  readonly pods = new Map<string, Pod>()
  readonly broken: Array<string> = []

  follow(cluster: ClusterShape): void {
    const watch = <A extends KubeObject>(kind: Kind, known: Map<string, A>, see: (object: A, gone: boolean) => void) =>
      cluster.connection.watch(
        { verb: "watch", kind },
        {
          events: (batch) => {
            for (const { object, type } of batch) {
              const one = object as A
              see(one, type === "DELETED")
              if (type === "DELETED") known.delete(one.metadata.name ?? "")
              else known.set(one.metadata.name ?? "", one)
            }
          },
          end: () => {}
        }
      )
    watch<Pod>("Pod", this.pods, () => {})
    watch<PersistentVolumeClaim>("PersistentVolumeClaim", this.claims, (claim, gone) => this.claimSeen(claim, gone))
    watch<PersistentVolume>("PersistentVolume", this.volumes, (volume, gone) => this.volumeSeen(volume, gone))
  }

  private claimSeen(claim: PersistentVolumeClaim, gone: boolean): void {
    const { name, uid } = claim.metadata
    const before = this.claims.get(name ?? "")
    const isBound = (one: PersistentVolumeClaim) => one.metadata.annotations?.[annotationBindCompleted] !== undefined
    if (before?.metadata.uid === uid && before !== undefined && isBound(before)) {
      if (before.spec?.volumeName !== claim.spec?.volumeName) this.broken.push(`${name} has changed its volume`)
    }
    if (gone) {
      const user = [...this.pods.values()].find((pod) => podUsesClaim(pod, claim))
      if (user !== undefined) this.broken.push(`${name} is gone, and ${user.metadata.name} uses it`)
      return
    }
    for (const other of this.claims.values()) {
      if (other.metadata.uid === uid || !isBound(other) || !isBound(claim)) continue
      if (other.spec?.volumeName === claim.spec?.volumeName && claim.status?.phase === "Bound") {
        this.broken.push(`${name} and ${other.metadata.name} share ${claim.spec?.volumeName}`)
      }
    }
  }

  private volumeSeen({ metadata: { name } }: PersistentVolume, gone: boolean): void {
    if (!gone) return
    const owner = [...this.claims.values()].find(
      ({ spec, status }) => status?.phase === "Bound" && spec?.volumeName === name
    )
    if (owner !== undefined) this.broken.push(`${name} is gone, and ${owner.metadata.name} has it`)
  }
}

type Step = (cluster: ClusterShape) => Effect.Effect<unknown, ClusterError>

const anyName = fc.constantFrom(...names)
const size = fc.constantFrom("1Gi", "5Gi", "20Gi")
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(anyName, size, fc.constantFrom(undefined, "now", "late")).map(
    ([name, storage, storageClassName]): Step =>
      (cluster) =>
        cluster.create(
          "PersistentVolumeClaim",
          claimOf(name, {
            resources: { requests: { storage } },
            ...(storageClassName === undefined ? {} : { storageClassName })
          })
        )
  ),
  fc.tuple(anyName, size).map(
    ([name, storage]): Step =>
      (cluster) =>
        cluster.create("PersistentVolume", volumeOf(name, { capacity: { storage } }))
  ),
  anyName.map(
    (name): Step =>
      (cluster) =>
        cluster.delete("PersistentVolumeClaim", { ...inDefault, name })
  ),
  // An existing volume, including those that the driver created.
  fc.nat(5).map(
    (which): Step =>
      (cluster) =>
        Effect.flatMap(cluster.list("PersistentVolume"), ({ items }) => {
          const name = items[which % items.length]?.metadata.name
          return name === undefined ? Effect.void : Effect.asVoid(cluster.delete("PersistentVolume", { name }))
        })
  ),
  anyName.map(
    (name): Step =>
      (cluster) =>
        cluster.create("Pod", podOf(name, name, "n1"))
  ),
  anyName.map(
    (name): Step =>
      (cluster) =>
        cluster.delete("Pod", { ...inDefault, name }, { gracePeriodSeconds: 0 })
  ),
  anyName.map(
    (name): Step =>
      (cluster) =>
        cluster.patch("PersistentVolumeClaim", { ...inDefault, name }, "merge", {
          metadata: { annotations: { "volume.kubernetes.io/selected-node": "n1" } }
        })
  ),
  fc.constantFrom(1, 100, 16_000).map(
    (ms): Step =>
      () =>
        Effect.sleep(ms)
  )
)

describe("whatever happens", () => {
  it("no volume has two claims, no claim changes its volume, and nothing in use is deleted", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (moves) => {
        const witness = new InvariantChecker()
        withVolumeControllers(({ cluster }) =>
          Effect.gen(function* () {
            witness.follow(cluster)
            yield* cluster.create("Node", nodeOf("n1", "zone-a"))
            yield* cluster.create("StorageClass", classOf("now"))
            yield* cluster.create("StorageClass", classOf("late", { volumeBindingMode: "WaitForFirstConsumer" }))
            for (const one of moves) yield* Effect.ignore(one(cluster))
            yield* Effect.sleep("1 minute")
          })
        )
        assert.deepStrictEqual(witness.broken, [])
        // A claim of a class with immediate binding is bound in the end.
        for (const { metadata, spec, status } of witness.claims.values()) {
          if (spec?.storageClassName === "now" && metadata.deletionTimestamp === undefined) {
            assert.strictEqual(status?.phase, "Bound")
          }
        }
      }),
      { numRuns: 60, seed: 1 }
    )
  })
})
