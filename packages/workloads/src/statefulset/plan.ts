import { isPodReady, isPodTerminal, type Pod, type StatefulSet, type StatefulSetStatus } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { scaledValue } from "../scaledValue.ts"
import { unlessZero } from "../unlessZero.ts"
import { ordinalOf, restoredPod, revisionOf, sizeOf, startOf } from "./statefulPods.ts"

export type StatefulAction =
  | { readonly do: "create"; readonly ordinal: number; readonly revision: string }
  | { readonly do: "delete"; readonly pod: Pod }
  /** Create the missing claims of a pending pod. */
  | { readonly do: "claim"; readonly pod: Pod }
  /** Restore the pod's identity, volumes and its claims' owners. */
  | { readonly do: "restore"; readonly pod: Pod }
  /** Set the owners of the claims of a pod that is to be deleted. */
  | { readonly do: "set claim owners"; readonly pod: Pod }

/** The state of pods' claims. */
export interface ClaimView {
  /**
   * Whether a claim is left over from a deleted pod, and is being deleted: no pod of that ordinal can be created yet.
   */
  readonly isLeftOver: (ordinal: number) => boolean
  /** Whether some claim of the pod lacks the owners that it should have. */
  readonly isDue: (pod: Pod) => boolean
}

const noClaims: ClaimView = { isLeftOver: () => false, isDue: () => false }

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

export interface UpdateBudget {
  readonly maxUnavailable: number
  readonly unavailable: number
}

export interface StatefulPlan {
  /** In order; a failed action ends the sync. */
  readonly actions: ReadonlyArray<StatefulAction>
  /** One by one, or in batches of 1, 2, 4, … */
  readonly oneByOne: boolean
  /** The limit and progress of an update; undefined while something else comes first. */
  readonly update: UpdateBudget | undefined
  /** Of the pods' current state; `currentReplicas` without those deleted for the update. */
  readonly status: StatefulSetStatus
}

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== ""
const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isPodReady(pod)

/** The rules of one sync of a set. */
class Round {
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

  /** Whether it is missing, terminating, or not ready. */
  isUnavailable(pod: Pod | undefined): boolean {
    return pod === undefined || !this.isAvailable(pod) || isTerminating(pod)
  }

  /** Pods below the partition keep the current revision. Upstream: newVersionedStatefulSetPod. */
  revisionFor(ordinal: number): string {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return this.revisions.update
    const kept = rollingUpdate === undefined ? (this.set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0)
    return ordinal < startOf(this.set) + kept ? this.revisions.current : this.revisions.update
  }

  /** Returns true if nothing after this ordinal may be processed in this sync. Upstream: processReplica. */
  replica(ordinal: number, pod: Pod | undefined): boolean {
    if (pod === undefined) {
      if (this.claims.isLeftOver(ordinal)) return this.oneByOne
      this.actions.push({ do: "create", ordinal, revision: this.revisionFor(ordinal) })
      return this.oneByOne
    }
    if (isPodTerminal(pod)) {
      // The name is only free when the pod has been deleted: waits for a terminating one without a limit.
      if (!isTerminating(pod)) this.actions.push({ do: "delete", pod })
      return this.oneByOne
    }
    if (pod.status?.phase === "Pending") this.actions.push({ do: "claim", pod })
    if (this.oneByOne && (isTerminating(pod) || !this.isAvailable(pod))) return true
    if (restoredPod(this.set, pod) !== undefined || this.claims.isDue(pod)) this.actions.push({ do: "restore", pod })
    return false
  }

  /** Sets the owners of the claims of condemned pods, which may be deleted with them. */
  setClaimOwners(condemned: ReadonlyArray<Pod>): void {
    for (const pod of condemned) if (this.claims.isDue(pod)) this.actions.push({ do: "set claim owners", pod })
  }

  /** Deletes surplus pods, the highest ordinal first. Upstream: processCondemned. */
  condemn(condemned: ReadonlyArray<Pod>, firstUnavailable: Pod | undefined): boolean {
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
  outdated(replicas: ReadonlyArray<Pod | undefined>, supportsMaxUnavailable: boolean): ReadonlyArray<Pod> {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return []
    if (!supportsMaxUnavailable) return this.nextOutdated(replicas.slice(rollingUpdate?.partition ?? 0))
    const { maxUnavailable, unavailable } = this.updateBudget(replicas)
    const stale = replicas.slice(rollingUpdate?.partition ?? 0).filter((pod): pod is Pod => {
      return pod !== undefined && revisionOf(pod) !== this.revisions.update && !isTerminating(pod)
    })
    return stale.reverse().slice(0, Math.max(0, maxUnavailable - unavailable))
  }

  /** Percentages round down, and at least one may be unavailable. Upstream: getStatefulSetMaxUnavailable. */
  updateBudget(replicas: ReadonlyArray<Pod | undefined>): UpdateBudget {
    const { maxUnavailable = 1 } = this.set.spec.updateStrategy?.rollingUpdate ?? {}
    return {
      maxUnavailable: Math.max(1, scaledValue(maxUnavailable, replicas.length, Math.floor)),
      unavailable: replicas.filter((pod) => this.isUnavailable(pod)).length
    }
  }

  /** Without maxUnavailable: the first outdated pod from the highest ordinal on, unless one above it is not ready. */
  private nextOutdated(replicas: ReadonlyArray<Pod | undefined>): ReadonlyArray<Pod> {
    for (const pod of replicas.toReversed()) {
      if (pod !== undefined && revisionOf(pod) !== this.revisions.update && !isTerminating(pod)) return [pod]
      if (this.isUnavailable(pod)) return []
    }
    return []
  }
}

/** The pods by ordinal, and the surplus ones, the highest ordinal first. */
const sorted = (set: StatefulSet, pods: ReadonlyArray<Pod>) => {
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

const statusOf = (round: Round, pods: ReadonlyArray<Pod>, outdated: number, collisions: number): StatefulSetStatus => {
  const { revisions, set } = round
  const count = (test: (pod: Pod) => boolean): number => pods.filter(test).length
  const isAlive = (pod: Pod) => isCreated(pod) && !isTerminating(pod)
  return {
    observedGeneration: set.metadata.generation ?? 0,
    currentRevision: revisions.current,
    updateRevision: revisions.update,
    collisionCount: collisions,
    replicas: count(isCreated),
    availableReplicas: count((pod) => round.isAvailable(pod)),
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
 * exists, even one stuck terminating on a dead node, no other is created. With OrderedReady it blocks all later
 * ordinals. Upstream: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
 */
export const statefulSetPlan = (
  set: StatefulSet,
  revisions: Revisions,
  pods: ReadonlyArray<Pod>,
  nowMs: number,
  { claims = noClaims, collisions = 0, supportsMaxUnavailable = true }: StatefulOptions = {}
): StatefulPlan => {
  const round = new Round(set, revisions, nowMs, claims)
  const { actions, oneByOne } = round
  const done = (outdated = 0, update: UpdateBudget | undefined = undefined) => ({
    actions,
    oneByOne,
    update,
    status: statusOf(round, pods, outdated, collisions)
  })
  if (set.metadata.deletionTimestamp !== undefined) return done()
  const { condemned, replicas } = sorted(set, pods)
  // A missing replica is the first unavailable one, and cannot be condemned.
  const isWanting = replicas.some((pod) => round.isUnavailable(pod))
  const firstUnavailable = isWanting ? undefined : condemned.findLast((pod) => round.isUnavailable(pod))
  for (const [index, pod] of replicas.entries()) if (round.replica(startOf(set) + index, pod)) return done()
  round.setClaimOwners(condemned)
  if (round.condemn(condemned, firstUnavailable)) return done()
  const outdated = round.outdated(replicas, supportsMaxUnavailable)
  for (const pod of outdated) actions.push({ do: "delete", pod })
  const isUpdating = supportsMaxUnavailable && set.spec.updateStrategy?.type !== "OnDelete"
  return done(outdated.length, isUpdating ? round.updateBudget(replicas) : undefined)
}

/** When an update has reached every pod, its revision becomes the current one. Upstream: completeRollingUpdate. */
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
