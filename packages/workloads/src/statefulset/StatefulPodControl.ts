import { keyOf, type PersistentVolumeClaim, type Pod, type StatefulSet } from "@rollcall/api"
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
import type { ConsistencyStore } from "../consistency/ConsistencyStore.ts"
import { hasOtherController, isOfDeletedPod, neededOwners } from "./claimOwners.ts"
import type { ClaimView } from "./plan.ts"
import { claimsOf, hasStorage, newStatefulPod, ordinalOf, withIdentity } from "./statefulPods.ts"

/** A claim of a pod could not be created, or is terminating. */
export class ClaimsNotReady extends Schema.TaggedError<ClaimsNotReady>()("ClaimsNotReady", {
  message: Schema.String
}) {}

type Failure = ClusterError | ClaimsNotReady

/** What StatefulPodControl needs. */
export interface StatefulPodControlParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly claims: Informer<"PersistentVolumeClaim">
  readonly consistency: ConsistencyStore
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

  /** Answers questions about the claims of a set's pods, from the cache. */
  claimViewOf(set: StatefulSet): ClaimView {
    return {
      isOfDeletedPod: (ordinal) => {
        const pod = newStatefulPod(set, ordinal, "")
        return this.cachedClaims(set, ordinal).some((claim) => isOfDeletedPod(set, claim, pod))
      },
      needsOwners: (pod) =>
        this.cachedClaims(set, ordinalOf(pod)).some((claim) => neededOwners(set, claim, pod) !== undefined)
    }
  }

  /** The claims of an ordinal that exist in the cache. */
  private cachedClaims(set: StatefulSet, ordinal: number): ReadonlyArray<PersistentVolumeClaim> {
    const { claims } = this.parts
    return claimsOf(set, ordinal).flatMap(({ metadata }) => claims.find(metadata.name ?? "", metadata.namespace) ?? [])
  }

  /** Creates the claims of an ordinal, then its pod. */
  create(set: StatefulSet, ordinal: number, revision: string): Effect.Effect<void, Failure> {
    const pod = newStatefulPod(set, ordinal, revision)
    // If the pod exists already, the cache is behind: that is no failure to report in an Event.
    return this.createClaims(set, ordinal).pipe(
      Effect.andThen(this.parts.cluster.create("Pod", pod)),
      Effect.andThen(this.updateClaimOwners(set, pod)),
      this.recordResult(set, "Create", pod, (error) => error._tag !== "ClaimsNotReady" && isAlreadyExists(error))
    )
  }

  /** Deletes a pod; a pod that no longer exists is no error. */
  remove(set: StatefulSet, pod: Pod): Effect.Effect<void, ClusterError> {
    const { name = "", namespace } = pod.metadata
    return this.parts.cluster.delete("Pod", { namespace, name }).pipe(
      this.recordResult(set, "Delete", pod),
      Effect.catchIf(isNotFound, () => Effect.void)
    )
  }

  /** Creates the missing claims of a pending pod, and sets their owners. */
  completeClaims(set: StatefulSet, pod: Pod): Effect.Effect<void, Failure> {
    return Effect.andThen(this.createClaims(set, ordinalOf(pod)), this.updateClaimOwners(set, pod))
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
    const createMissingClaims = hasStorage(set, pod) ? Effect.void : this.createClaims(set, ordinalOf(pod))
    return createMissingClaims.pipe(
      Effect.andThen(this.updateClaimOwners(set, pod)),
      Effect.andThen(write),
      this.recordResult(set, "Update", pod)
    )
  }

  /**
   * Sets the owners of a pod's claims according to the retention policy. Upstream: UpdatePodClaimForRetentionPolicy.
   */
  readonly updateClaimOwners = Effect.fnUntraced(
    { self: this },
    function* (this: StatefulPodControl, set: StatefulSet, pod: Pod) {
      const { cluster, recorder } = this.parts
      for (const claim of this.cachedClaims(set, ordinalOf(pod))) {
        const { name } = claim.metadata
        if (hasOtherController(set, claim, pod)) {
          const text = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a managing controller, the retention policy is ignored for this claim`
          recorder.event(set, "Warning", "ConflictingController", text)
        }
        const ownerReferences = neededOwners(set, claim, pod)
        if (ownerReferences === undefined) continue
        const metadata = { ...claim.metadata, ownerReferences }
        this.claimWritten(set, yield* cluster.update("PersistentVolumeClaim", { ...claim, metadata }))
      }
    }
  )

  /**
   * Creates the missing claims of an ordinal. Fails with ClaimsNotReady after it has tried all of them. Upstream:
   * createPersistentVolumeClaims.
   */
  private readonly createClaims = Effect.fnUntraced(
    { self: this },
    function* (this: StatefulPodControl, set: StatefulSet, ordinal: number) {
      const problems: Array<string> = []
      for (const claim of claimsOf(set, ordinal)) {
        const { name = "", namespace } = claim.metadata
        const cached = this.parts.claims.find(name, namespace)
        if (cached === undefined) {
          const error = yield* this.createClaim(set, ordinal, claim)
          if (error !== undefined) problems.push(`failed to create PVC ${name}: ${error.message}`)
        } else if (cached.metadata.deletionTimestamp !== undefined) problems.push(`pvc ${name} is being deleted`)
      }
      if (problems.length === 0) return
      const message = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`
      return yield* Effect.fail(new ClaimsNotReady({ message }))
    }
  )

  private claimWritten(set: StatefulSet, { metadata }: PersistentVolumeClaim): void {
    const { uid = "" } = set.metadata
    this.parts.consistency.wroteAt(keyOf(set), uid, "PersistentVolumeClaim", metadata.resourceVersion ?? "")
  }

  private createClaim(set: StatefulSet, ordinal: number, claim: PersistentVolumeClaim) {
    const { cluster, recorder } = this.parts
    const pod = `${set.metadata.name}-${ordinal}`
    const text = `Create Claim ${claim.metadata.name}`
    return cluster.create("PersistentVolumeClaim", claim).pipe(
      Effect.matchEffect({
        onSuccess: (written) =>
          Effect.sync(() => {
            this.claimWritten(set, written)
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

  /**
   * Records the result of a request as an Event, except for errors for which `isIgnored` holds. Upstream:
   * recordPodEvent.
   */
  private recordResult<E extends Failure>(
    set: StatefulSet,
    verb: "Create" | "Update" | "Delete",
    { metadata }: Pod,
    isIgnored: (error: E) => boolean = () => false
  ): (request: Effect.Effect<unknown, E>) => Effect.Effect<void, E> {
    const { recorder } = this.parts
    const text = `${verb} Pod ${metadata.name} in StatefulSet ${set.metadata.name}`
    return (request) =>
      request.pipe(
        Effect.tap(() => Effect.sync(() => recorder.event(set, "Normal", `Successful${verb}`, `${text} successful`))),
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (isIgnored(error)) return
            recorder.event(set, "Warning", `Failed${verb}`, `${text} failed error: ${error.message}`)
          })
        ),
        Effect.asVoid
      )
  }
}
