import { isPodReady, isPodTerminal, type Pod, type StatefulSet, type StatefulSetStatus } from "@rollcall/api"
import { isPodAvailable } from "../podState.ts"
import { scaledValue } from "../scaledValue.ts"
import { unlessZero } from "../unlessZero.ts"
import { ordinalOf, restoredPod, revisionOf, sizeOf, startOf } from "./statefulPods.ts"

export type StatefulAction =
  | { readonly do: "create"; readonly ordinal: number; readonly revision: string }
  | { readonly do: "delete"; readonly pod: Pod }
  /** See to it that the claims of a pod that waits are there. */
  | { readonly do: "claim"; readonly ordinal: number }
  /** Write the pod with its identity or volumes again. */
  | { readonly do: "restore"; readonly pod: Pod }

/** The names of the two revisions that a set is between. */
export interface Revisions {
  readonly current: string
  readonly update: string
}

export interface StatefulPlan {
  /** In order; an action that fails ends the round. */
  readonly actions: ReadonlyArray<StatefulAction>
  /** One by one, or in batches of 1, 2, 4, … */
  readonly oneByOne: boolean
  /** Of the pods' present state; `currentReplicas` without those that go for the update. */
  readonly status: StatefulSetStatus
}

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== ""
const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isPodReady(pod)

/** All that the rules ask of one set at one instant. */
class Round {
  readonly actions: Array<StatefulAction> = []
  readonly set: StatefulSet
  readonly revisions: Revisions
  readonly nowMs: number
  readonly oneByOne: boolean

  constructor(set: StatefulSet, revisions: Revisions, nowMs: number) {
    this.set = set
    this.revisions = revisions
    this.nowMs = nowMs
    this.oneByOne = set.spec.podManagementPolicy !== "Parallel"
  }

  isAvailable(pod: Pod): boolean {
    return isRunningAndReady(pod) && isPodAvailable(pod, this.set.spec.minReadySeconds ?? 0, this.nowMs)
  }

  /** Missing, on its way out, or not serving. */
  isUnavailable(pod: Pod | undefined): boolean {
    return pod === undefined || !this.isAvailable(pod) || isTerminating(pod)
  }

  /** Below the partition pods stay with what they were. Upstream: newVersionedStatefulSetPod. */
  revisionFor(ordinal: number): string {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return this.revisions.update
    const kept = rollingUpdate === undefined ? (this.set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0)
    return ordinal < startOf(this.set) + kept ? this.revisions.current : this.revisions.update
  }

  /** True: nothing after this ordinal may be touched in this round. Upstream: processReplica. */
  replica(ordinal: number, pod: Pod | undefined): boolean {
    if (pod === undefined) {
      this.actions.push({ do: "create", ordinal, revision: this.revisionFor(ordinal) })
      return this.oneByOne
    }
    if (isPodTerminal(pod)) {
      // Its name is free only when it is gone: one on its way out is waited for, however long that takes.
      if (!isTerminating(pod)) this.actions.push({ do: "delete", pod })
      return this.oneByOne
    }
    if (pod.status?.phase === "Pending") this.actions.push({ do: "claim", ordinal })
    if (this.oneByOne && (isTerminating(pod) || !this.isAvailable(pod))) return true
    const restored = restoredPod(this.set, pod)
    if (restored !== undefined) this.actions.push({ do: "restore", pod: restored })
    return false
  }

  /** Takes surplus pods away, the highest first. Upstream: processCondemned. */
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

  /** Pods of an older template that go now. Upstream: updateStatefulSetAfterInvariantEstablished. */
  outdated(replicas: ReadonlyArray<Pod | undefined>): ReadonlyArray<Pod> {
    const { rollingUpdate, type } = this.set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return []
    const most = Math.max(1, scaledValue(rollingUpdate?.maxUnavailable ?? 1, replicas.length, Math.ceil))
    const unavailable = replicas.filter((pod) => this.isUnavailable(pod)).length
    const stale = replicas.slice(rollingUpdate?.partition ?? 0).filter((pod): pod is Pod => {
      return pod !== undefined && revisionOf(pod) !== this.revisions.update && !isTerminating(pod)
    })
    return stale.reverse().slice(0, Math.max(0, most - unavailable))
  }
}

/** The pods by ordinal, and those that are too many, the highest first. */
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
 * What to do next for a StatefulSet, given all its pods. A pod's name is its identity: while one of that name exists, also one
 * that is stuck on its way out of a dead node, no other is made. With OrderedReady it holds up all that come after it.
 * Upstream: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
 */
export const statefulSetPlan = (
  set: StatefulSet,
  revisions: Revisions,
  pods: ReadonlyArray<Pod>,
  nowMs: number,
  collisions = 0
): StatefulPlan => {
  const round = new Round(set, revisions, nowMs)
  const { actions, oneByOne } = round
  const done = (outdated = 0) => ({ actions, oneByOne, status: statusOf(round, pods, outdated, collisions) })
  if (set.metadata.deletionTimestamp !== undefined) return done()
  const { condemned, replicas } = sorted(set, pods)
  // What is missing counts as the first unavailable one, and is no pod that could be condemned.
  const isWanting = replicas.some((pod) => round.isUnavailable(pod))
  const firstUnavailable = isWanting ? undefined : condemned.findLast((pod) => round.isUnavailable(pod))
  for (const [index, pod] of replicas.entries()) if (round.replica(startOf(set) + index, pod)) return done()
  if (round.condemn(condemned, firstUnavailable)) return done()
  const outdated = round.outdated(replicas)
  for (const pod of outdated) actions.push({ do: "delete", pod })
  return done(outdated.length)
}

/** An update that has reached every pod makes its revision the current one. Upstream: completeRollingUpdate. */
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
