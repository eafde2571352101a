import type { PersistentVolumeClaim, Pod, StatefulSet } from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  defaultBackoff,
  type EventRecorder,
  type Informer,
  isAlreadyExists,
  isNotFound,
  retryOnConflict
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dueOwners, hasOtherController, isLeftOver } from "./claimOwners.ts"
import type { ClaimView } from "./plan.ts"
import { claimsOf, hasStorage, newStatefulPod, ordinalOf, withIdentity } from "./statefulPods.ts"

/** Some claim of a pod is missing or terminating. */
export class ClaimsNotReady extends Schema.TaggedError<ClaimsNotReady>()("ClaimsNotReady", {
  message: Schema.String
}) {}

type Failure = ClusterError | ClaimsNotReady

export interface StatefulPodControlParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly claims: Informer<"PersistentVolumeClaim">
}

/**
 * Creates, restores and deletes the pods of stateful sets, and their claims.
 * Upstream: pkg/controller/statefulset/stateful_pod_control.go.
 */
export class StatefulPodControl {
  private readonly parts: StatefulPodControlParts

  constructor(parts: StatefulPodControlParts) {
    this.parts = parts
  }

  /** The cached state of the claims of a set's pods. */
  viewOf(set: StatefulSet): ClaimView {
    return {
      isLeftOver: (ordinal) => {
        const pod = newStatefulPod(set, ordinal, "")
        return this.knownClaims(set, ordinal).some((claim) => isLeftOver(set, claim, pod))
      },
      isDue: (pod) => this.knownClaims(set, ordinalOf(pod)).some((claim) => dueOwners(set, claim, pod) !== undefined)
    }
  }

  private knownClaims(set: StatefulSet, ordinal: number): ReadonlyArray<PersistentVolumeClaim> {
    const { claims } = this.parts
    return claimsOf(set, ordinal).flatMap(({ metadata }) => claims.find(metadata.name ?? "", metadata.namespace) ?? [])
  }

  create(set: StatefulSet, ordinal: number, revision: string): Effect.Effect<void, Failure> {
    const pod = newStatefulPod(set, ordinal, revision)
    // A pod with that name exists, which the cache does not show yet: no Event.
    return this.createClaims(set, ordinal).pipe(
      Effect.andThen(this.parts.cluster.create("Pod", pod)),
      Effect.andThen(this.settleClaims(set, pod)),
      this.recorded(set, "create", pod, (error) => error._tag !== "ClaimsNotReady" && isAlreadyExists(error))
    )
  }

  remove(set: StatefulSet, pod: Pod): Effect.Effect<void, ClusterError> {
    const { name = "", namespace } = pod.metadata
    return this.parts.cluster.delete("Pod", { namespace, name }).pipe(
      this.recorded(set, "delete", pod),
      Effect.catchIf(isNotFound, () => Effect.void)
    )
  }

  /** Creates the missing claims of a pending pod. */
  completeClaims(set: StatefulSet, pod: Pod): Effect.Effect<void, Failure> {
    return Effect.andThen(this.createClaims(set, ordinalOf(pod)), this.settleClaims(set, pod))
  }

  /** Restores a pod's identity and volumes, and its claims' owners. */
  restore(set: StatefulSet, pod: Pod): Effect.Effect<void, Failure> {
    const { cluster } = this.parts
    const { name = "", namespace } = pod.metadata
    const write = retryOnConflict(defaultBackoff, (before) =>
      Effect.flatMap(before === 0 ? Effect.succeed(pod) : cluster.get("Pod", { namespace, name }), (current) =>
        cluster.update("Pod", withIdentity(set, current))
      )
    )
    const claimed = hasStorage(set, pod) ? Effect.void : this.createClaims(set, ordinalOf(pod))
    return claimed.pipe(
      Effect.andThen(this.settleClaims(set, pod)),
      Effect.andThen(write),
      this.recorded(set, "update", pod)
    )
  }

  /**
   * Sets the owners of a pod's claims according to the retention policy. Upstream: UpdatePodClaimForRetentionPolicy.
   */
  readonly settleClaims = Effect.fnUntraced(
    { self: this },
    function* (this: StatefulPodControl, set: StatefulSet, pod: Pod) {
      const { cluster, recorder } = this.parts
      for (const claim of this.knownClaims(set, ordinalOf(pod))) {
        const { name } = claim.metadata
        if (hasOtherController(set, claim, pod)) {
          const text = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a managing controller, the retention policy is ignored for this claim`
          recorder.event(set, "Warning", "ConflictingController", text)
        }
        const ownerReferences = dueOwners(set, claim, pod)
        if (ownerReferences === undefined) continue
        const metadata = { ...claim.metadata, ownerReferences }
        yield* cluster.update("PersistentVolumeClaim", { ...claim, metadata })
      }
    }
  )

  /** Creates the missing claims of an ordinal; fails if it cannot. Upstream: createPersistentVolumeClaims. */
  private readonly createClaims = Effect.fnUntraced(
    { self: this },
    function* (this: StatefulPodControl, set: StatefulSet, ordinal: number) {
      const problems: Array<string> = []
      for (const claim of claimsOf(set, ordinal)) {
        const { name = "", namespace } = claim.metadata
        const known = this.parts.claims.find(name, namespace)
        if (known === undefined) {
          const error = yield* this.createClaim(set, ordinal, claim)
          if (error !== undefined) problems.push(`failed to create PVC ${name}: ${error.message}`)
        } else if (known.metadata.deletionTimestamp !== undefined) problems.push(`pvc ${name} is being deleted`)
      }
      if (problems.length === 0) return
      const message = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`
      return yield* Effect.fail(new ClaimsNotReady({ message }))
    }
  )

  private createClaim(set: StatefulSet, ordinal: number, claim: PersistentVolumeClaim) {
    const { cluster, recorder } = this.parts
    const pod = `${set.metadata.name}-${ordinal}`
    const text = `create Claim ${claim.metadata.name}`
    return cluster.create("PersistentVolumeClaim", claim).pipe(
      Effect.matchEffect({
        onSuccess: () =>
          Effect.sync(() => {
            const success = `${text} Pod ${pod} in StatefulSet ${set.metadata.name} success`
            recorder.event(set, "Normal", "SuccessfulCreate", success)
            return undefined
          }),
        onFailure: (error) =>
          Effect.sync(() => {
            const failure = `${text} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${error.message}`
            if (!isAlreadyExists(error)) recorder.event(set, "Warning", "FailedCreate", failure)
            return error
          })
      })
    )
  }

  /** Records the result of a request as an Event. Upstream: recordPodEvent. */
  private recorded<E extends Failure>(
    set: StatefulSet,
    verb: "create" | "update" | "delete",
    { metadata }: Pod,
    isNoNews: (error: E) => boolean = () => false
  ): (request: Effect.Effect<unknown, E>) => Effect.Effect<void, E> {
    const { recorder } = this.parts
    const reason = `${verb[0]?.toUpperCase()}${verb.slice(1)}`
    const text = `${verb} Pod ${metadata.name} in StatefulSet ${set.metadata.name}`
    return (request) =>
      request.pipe(
        Effect.tap(() => Effect.sync(() => recorder.event(set, "Normal", `Successful${reason}`, `${text} successful`))),
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (isNoNews(error)) return
            recorder.event(set, "Warning", `Failed${reason}`, `${text} failed error: ${error.message}`)
          })
        ),
        Effect.asVoid
      )
  }
}
