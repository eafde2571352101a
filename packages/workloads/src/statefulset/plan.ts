import { isPodReady, isPodTerminal, type Pod, type StatefulSet, type StatefulSetStatus } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { scaledValue } from "../scaledValue.ts"
import { unlessZero } from "../unlessZero.ts"
import { ordinalOf, restoredPod, revisionOf, sizeOf, startOf } from "./statefulPods.ts"

/** An action on one pod of a StatefulSet. */
export type StatefulAction =
  | { readonly do: "create"; readonly ordinal: number; readonly revision: string }
  | { readonly do: "delete"; readonly pod: Pod }
  /** Create the missing claims of a pending pod. */
  | { readonly do: "claim"; readonly pod: Pod }
  /** Restore the pod's identity, volumes and its claims' owners. */
  | { readonly do: "restore"; readonly pod: Pod }
  /** Set the owners of the claims of a pod that is to be deleted. */
  | { readonly do: "set claim owners"; readonly pod: Pod }

/** Answers questions about the claims of pods. */
export interface ClaimView {
  /**
   * Whether a claim of the ordinal belongs to a deleted pod, and will be deleted: no pod of that ordinal can be created
   * yet.
   */
  readonly isOfDeletedPod: (ordinal: number) => boolean
  /** Whether a claim of the pod has other owners than it should have. */
  readonly needsOwners: (pod: Pod) => boolean
}

const noClaims: ClaimView = { isOfDeletedPod: () => false, needsOwners: () => false }

/** What a plan depends on besides the set and its pods. */
export interface StatefulOptions {
  readonly claims?: ClaimView
  /** Number of name collisions of revisions. */
  readonly collisions?: number
  /** Whether a release supports maxUnavailable above 1. Upstream: the gate MaxUnavailableStatefulSet. */
  readonly supportsMaxUnavailable?: boolean
}

/** The names of the current and the update revision. */
export interface Revisions {
  readonly current: string
  readonly update: string
}

/** How many pods may be unavailable during a rolling update, and how many are. */
export interface UpdateBudget {
  readonly maxUnavailable: number
  readonly unavailable: number
}

/** What a sync of a set does. */
export interface StatefulPlan {
  /** The actions, in order; a failed one ends the sync. */
  readonly actions: ReadonlyArray<StatefulAction>
  /** Whether the actions run one after the other (OrderedReady), or else in batches of 1, 2, 4, … */
  readonly oneByOne: boolean
  /** The budget of the rolling update; undefined while pods have to be created or deleted first. */
  readonly update: UpdateBudget | undefined
  /**
   * By the pods' state before the actions, but `currentReplicas` does not count those that are deleted for the update.
   */
  readonly status: StatefulSetStatus
}

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
/** Whether the API has the pod: one that was just created has no phase. */
const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== ""
const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isPodReady(pod)

/** Collects the actions of one sync of a set. */
class PlanBuilder {
  readonly actions: Array<StatefulAction> = []
  readonly set: StatefulSet
  readonly revisions: Revisions
  readonly nowMs: number
  readonly oneByOne: boolean
  private readonly claims: ClaimView

  constructor(set: StatefulSet, revisions: Revisions, nowMs: number, claims: ClaimView) {
    this.claims = claims
    this.set = set
    this.revisions = revisions
    this.nowMs = nowMs
    this.oneByOne = set.spec.podManagementPolicy !== "Parallel"
  }

  isAvailable(pod: Pod): boolean {
    return isRunningAndReady(pod) && isPodAvailable(pod, this.set.spec.minReadySeconds ?? 0, this.nowMs)
  }

  /** Whether a pod is missing, terminating, or not available. */
  isUnavailable(pod: Pod | undefined): boolean {
    return pod === undefined || !this.isAvailable(pod) || isTerminating(pod)
  }

  /**
   * The revision for a new pod: those below the partition keep the current one. Upstream: newVersionedStatefulSetPod.
   */
  revisionFor(ordinal: number): string {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return this.revisions.update
    const currentCount =
      rollingUpdate === undefined ? (this.set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0)
    return ordinal < startOf(this.set) + currentCount ? this.revisions.current : this.revisions.update
  }

  /**
   * Plans the actions for an ordinal. Returns true if no later one may be processed in this sync. Upstream:
   * processReplica.
   */
  processReplica(ordinal: number, pod: Pod | undefined): boolean {
    if (pod === undefined) {
      if (this.claims.isOfDeletedPod(ordinal)) return this.oneByOne
      this.actions.push({ do: "create", ordinal, revision: this.revisionFor(ordinal) })
      return this.oneByOne
    }
    if (isPodTerminal(pod)) {
      // The name is only free when the pod no longer exists: a terminating pod is waited for without a limit.
      if (!isTerminating(pod)) this.actions.push({ do: "delete", pod })
      return this.oneByOne
    }
    if (pod.status?.phase === "Pending") this.actions.push({ do: "claim", pod })
    if (this.oneByOne && (isTerminating(pod) || !this.isAvailable(pod))) return true
    if (restoredPod(this.set, pod) !== undefined || this.claims.needsOwners(pod))
      this.actions.push({ do: "restore", pod })
    return false
  }

  /** Sets the owners of the claims of condemned pods, which may be deleted with them. */
  setClaimOwners(condemned: ReadonlyArray<Pod>): void {
    for (const pod of condemned) if (this.claims.needsOwners(pod)) this.actions.push({ do: "set claim owners", pod })
  }

  /**
   * Plans the deletion of surplus pods, the highest ordinal first. Returns true if the sync ends with that. Upstream:
   * processCondemned.
   */
  deleteCondemned(condemned: ReadonlyArray<Pod>, firstUnavailable: Pod | undefined): boolean {
    for (const pod of condemned) {
      if (isTerminating(pod)) {
        if (this.oneByOne) return true
        continue
      }
      if (this.oneByOne && !this.isAvailable(pod) && pod !== firstUnavailable) return true
      this.actions.push({ do: "delete", pod })
      if (this.oneByOne) return true
    }
    return false
  }

  /** The outdated pods to delete now. Upstream: updateStatefulSetAfterInvariantEstablished. */
  outdatedToDelete(replicas: ReadonlyArray<Pod | undefined>, supportsMaxUnavailable: boolean): ReadonlyArray<Pod> {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return []
    if (!supportsMaxUnavailable) return this.nextOutdated(replicas.slice(rollingUpdate?.partition ?? 0))
    const { maxUnavailable, unavailable } = this.updateBudget(replicas)
    const outdated = replicas.slice(rollingUpdate?.partition ?? 0).filter((pod): pod is Pod => {
      return pod !== undefined && revisionOf(pod) !== this.revisions.update && !isTerminating(pod)
    })
    return outdated.reverse().slice(0, Math.max(0, maxUnavailable - unavailable))
  }

  /**
   * The budget of a rolling update: percentages builder down, but at least one pod may be unavailable. Upstream:
   * getStatefulSetMaxUnavailable.
   */
  updateBudget(replicas: ReadonlyArray<Pod | undefined>): UpdateBudget {
    const { maxUnavailable = 1 } = this.set.spec.updateStrategy?.rollingUpdate ?? {}
    return {
      maxUnavailable: Math.max(1, scaledValue(maxUnavailable, replicas.length, Math.floor)),
      unavailable: replicas.filter((pod) => this.isUnavailable(pod)).length
    }
  }

  /**
   * The pod to delete in releases without maxUnavailable: the first outdated one from the highest ordinal on, unless
   * one above it is unavailable.
   */
  private nextOutdated(replicas: ReadonlyArray<Pod | undefined>): ReadonlyArray<Pod> {
    for (const pod of replicas.toReversed()) {
      if (pod !== undefined && revisionOf(pod) !== this.revisions.update && !isTerminating(pod)) return [pod]
      if (this.isUnavailable(pod)) return []
    }
    return []
  }
}

/**
 * Sorts pods into replicas, by ordinal (undefined where one is missing), and surplus ones, the highest ordinal first.
 */
const sortPods = (set: StatefulSet, pods: ReadonlyArray<Pod>) => {
  const size = sizeOf(set)
  const replicas: Array<Pod | undefined> = Array.from({ length: size }, () => undefined)
  const condemned: Array<Pod> = []
  for (const pod of pods) {
    const index = ordinalOf(pod) - startOf(set)
    if (index >= 0 && index < size) replicas[index] = pod
    else if (ordinalOf(pod) >= 0) condemned.push(pod)
  }
  condemned.sort((left, right) => ordinalOf(right) - ordinalOf(left))
  return { condemned, replicas }
}

const statusOf = (
  builder: PlanBuilder,
  pods: ReadonlyArray<Pod>,
  outdated: number,
  collisions: number
): StatefulSetStatus => {
  const { revisions, set } = builder
  const count = (test: (pod: Pod) => boolean): number => pods.filter(test).length
  const isAlive = (pod: Pod) => isCreated(pod) && !isTerminating(pod)
  return {
    observedGeneration: set.metadata.generation ?? 0,
    currentRevision: revisions.current,
    updateRevision: revisions.update,
    collisionCount: collisions,
    replicas: count(isCreated),
    availableReplicas: count((pod) => builder.isAvailable(pod)),
    ...unlessZero("readyReplicas", count(isRunningAndReady)),
    ...unlessZero("currentReplicas", count((pod) => isAlive(pod) && revisionOf(pod) === revisions.current) - outdated),
    ...unlessZero(
      "updatedReplicas",
      count((pod) => isAlive(pod) && revisionOf(pod) === revisions.update)
    )
  }
}

/**
 * The next actions for a StatefulSet, given all its pods. A pod's name is its identity: while a pod with that name
 * exists, even one that never terminates because its node is dead, no other is created. With OrderedReady it blocks all
 * later ordinals. Upstream: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
 */
export const statefulSetPlan = (
  set: StatefulSet,
  revisions: Revisions,
  pods: ReadonlyArray<Pod>,
  nowMs: number,
  { claims = noClaims, collisions = 0, supportsMaxUnavailable = true }: StatefulOptions = {}
): StatefulPlan => {
  const builder = new PlanBuilder(set, revisions, nowMs, claims)
  const { actions, oneByOne } = builder
  const done = (outdated = 0, update: UpdateBudget | undefined = undefined) => ({
    actions,
    oneByOne,
    update,
    status: statusOf(builder, pods, outdated, collisions)
  })
  if (set.metadata.deletionTimestamp !== undefined) return done()
  const { condemned, replicas } = sortPods(set, pods)
  // A missing replica is the first unavailable one, and cannot be condemned.
  const hasUnavailable = replicas.some((pod) => builder.isUnavailable(pod))
  const firstUnavailable = hasUnavailable ? undefined : condemned.findLast((pod) => builder.isUnavailable(pod))
  for (const [index, pod] of replicas.entries()) if (builder.processReplica(startOf(set) + index, pod)) return done()
  builder.setClaimOwners(condemned)
  if (builder.deleteCondemned(condemned, firstUnavailable)) return done()
  const outdated = builder.outdatedToDelete(replicas, supportsMaxUnavailable)
  for (const pod of outdated) actions.push({ do: "delete", pod })
  const isUpdating = supportsMaxUnavailable && set.spec.updateStrategy?.type !== "OnDelete"
  return done(outdated.length, isUpdating ? builder.updateBudget(replicas) : undefined)
}

/**
 * The status after an update that has reached every pod: its revision becomes the current one. Upstream:
 * completeRollingUpdate.
 */
export const withUpdateCompleted = (set: StatefulSet, status: StatefulSetStatus): StatefulSetStatus => {
  const isComplete =
    set.spec.updateStrategy?.type !== "OnDelete" &&
    (status.updatedReplicas ?? 0) === status.replicas &&
    (status.readyReplicas ?? 0) === status.replicas &&
    status.replicas === sizeOf(set)
  if (!isComplete || status.updateRevision === undefined) return status
  const { currentReplicas: _, ...rest } = status
  return {
    ...rest,
    ...unlessZero("currentReplicas", status.updatedReplicas ?? 0),
    currentRevision: status.updateRevision
  }
}
