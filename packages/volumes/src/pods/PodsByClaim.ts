import { type KubeObject, keyOf, type Pod } from "@rollcall/api"
import { type Cluster, type Feed, Informers, type WatchEvent } from "@rollcall/cluster"
import { nextRng, Timers } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { claimsOfPod } from "./claimsOfPod.ts"

/** Called for each pod that uses claims, when it is added, changed or deleted. */
export type OnPod = (pod: Pod, isDeleted: boolean) => void

const isSame = (before: Pod | undefined, pod: Pod): boolean =>
  before !== undefined && before.metadata.resourceVersion === pod.metadata.resourceVersion

/** An index of the pods that use claims, by claim. Pods without claims, which are most of them, are not stored. */
export class PodsByClaim implements Feed {
  private readonly pods = new Map<string, Pod>()
  private readonly byClaim = new Map<string, Map<string, Pod>>()
  private readonly onPod: OnPod
  private readonly onListed: () => void

  constructor(onPod: OnPod = () => {}, onListed: () => void = () => {}) {
    this.onPod = onPod
    this.onListed = onListed
  }

  /** Follows the pods of the Cluster in context; completes when all existing pods have been listed. */
  static readonly follow = (onPod?: OnPod): Effect.Effect<PodsByClaim, never, Cluster | Timers | Scope.Scope> =>
    Effect.gen(function* () {
      const { follow } = yield* Informers
      const timers = yield* Timers
      const listed = yield* Deferred.make<void>()
      const pods = new PodsByClaim(onPod, () => timers.soon(() => Deferred.doneUnsafe(listed, Effect.void)))
      yield* follow("Pod", pods, yield* nextRng)
      yield* Deferred.await(listed)
      return pods
    })

  /** The pods that use a claim, given as `namespace/name`. */
  using(claim: string): ReadonlyArray<Pod> {
    return [...(this.byClaim.get(claim)?.values() ?? [])]
  }

  get(key: string): Pod | undefined {
    return this.pods.get(key)
  }

  set(pod: Pod): void {
    const claims = claimsOfPod(pod)
    if (claims.length === 0) return
    const key = keyOf(pod)
    const before = this.pods.get(key)
    if (isSame(before, pod)) return
    this.pods.set(key, pod)
    for (const claim of claims) {
      const users = this.byClaim.get(claim)
      if (users === undefined) this.byClaim.set(claim, new Map([[key, pod]]))
      else users.set(key, pod)
    }
    this.onPod(pod, false)
  }

  delete(pod: Pod): void {
    const key = keyOf(pod)
    if (!this.pods.delete(key)) return
    for (const claim of claimsOfPod(pod)) {
      const users = this.byClaim.get(claim)
      if (users?.delete(key) === true && users.size === 0) this.byClaim.delete(claim)
    }
    this.onPod(pod, true)
  }

  apply(event: WatchEvent): void {
    if (event.type === "DELETED") this.delete(event.object as Pod)
    else if (event.type !== "ERROR" && event.type !== "BOOKMARK") this.set(event.object as Pod)
  }

  replace(objects: ReadonlyArray<KubeObject>): void {
    const now = new Set(objects.map(keyOf))
    for (const [key, pod] of [...this.pods]) if (!now.has(key)) this.delete(pod)
    for (const object of objects) this.set(object as Pod)
    this.onListed()
  }
}
