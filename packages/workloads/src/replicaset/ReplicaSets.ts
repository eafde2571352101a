import { getControllerOf, keyOf, type Pod, type ReplicaSet } from "@rollcall/api"
import {
  type ClusterError,
  type Connection,
  type InformerHandler,
  isNotFound,
  neverThrowing,
  type PlainParts,
  type Work
} from "@rollcall/cluster"
import { Expectations } from "../Expectations.ts"
import { readySince } from "../podState.ts"
import { inParallel } from "../Requests.ts"
import { slowStart } from "../slowStart.ts"
import { Adoptions } from "./Adoptions.ts"
import type { ReplicaSetConfig } from "./config.ts"
import { deletionAgeRatios, podsToDelete } from "./deletionOrder.ts"
import { PodControl } from "./PodControl.ts"
import { PodsByOwner, podKey } from "./PodsByOwner.ts"
import type { ReplicaTally } from "./ReplicaTally.ts"
import { replicaPlan } from "./replicaPlan.ts"
import { SetIndex } from "./SetIndex.ts"
import type { SetKind } from "./SetKind.ts"
import { type ReplicaCounts, replicaSetStatus } from "./status.ts"
import { writeStatus } from "./writeStatus.ts"

export interface ReplicaSetParts extends PlainParts {
  readonly config: ReplicaSetConfig
  readonly kind: SetKind
  /** Called with the ratios of `deletionAgeRatios` when pods are deleted. */
  readonly onDeletion?: (ratios: ReadonlyArray<number>) => void
}

type Done = (error?: ClusterError) => void
/** Called with an exception, which ends the sync of a set. */
type OnDefect = (error: unknown) => void

interface Sync {
  readonly key: string
  readonly done: Done
  readonly onDefect: OnDefect
  /** A connection whose replies may throw: the exception ends the sync. */
  readonly connection: Connection
  readonly control: PodControl
}

/** The pods of a set. `mayAct` says whether the cache shows all pods that were created and deleted. */
interface Managed {
  readonly replicaSet: ReplicaSet
  readonly counts: ReplicaCounts
  readonly mayAct: boolean
  /** The active pods before orphans were adopted; undefined if the current ones may be used. */
  readonly active: ReadonlyArray<Pod> | undefined
}

/**
 * Keeps the desired number of pods for each ReplicaSet. A terminating pod does not count as a replica, so its
 * replacement is created at once, even if it never ends because its node is dead. A pod on a dead node that is not
 * terminating counts. It is plain code without Effect; informers call its handlers. Upstream:
 * pkg/controller/replicaset/replica_set.go.
 */
export class ReplicaSets {
  private readonly parts: ReplicaSetParts
  private readonly connection: Connection
  private readonly expectations = new Expectations()
  private readonly pods: PodsByOwner
  private readonly sets: SetIndex
  private readonly adoptions = new Adoptions()

  constructor(parts: ReplicaSetParts) {
    this.parts = parts
    this.pods = new PodsByOwner(parts.kind)
    this.sets = new SetIndex(parts.kind)
    this.connection = neverThrowing(parts.connection, parts.timers)
  }

  /** Syncs the set with this key (`namespace/name`). */
  readonly work: Work<ClusterError> = (key, done, onDefect) =>
    this.sync(key, done, (error) => {
      // The requests that it expected may not have been sent.
      this.expectations.forget(key)
      onDefect(error)
    })

  readonly replicaSetHandler: InformerHandler<ReplicaSet> = {
    onAdd: (replicaSet) => {
      this.sets.set(replicaSet)
      this.adoptions.addCandidates(replicaSet, this.pods)
      this.enqueue(replicaSet)
    },
    onUpdate: (before, replicaSet) => {
      if (before.metadata.uid !== replicaSet.metadata.uid) this.forget(before)
      this.sets.set(replicaSet)
      if (before.spec.selector !== replicaSet.spec.selector) this.adoptions.addCandidates(replicaSet, this.pods)
      this.enqueue(replicaSet)
    },
    onDelete: (replicaSet) => {
      this.forget(replicaSet)
      this.sets.delete(replicaSet)
      this.enqueue(replicaSet)
    }
  }

  readonly podHandler: InformerHandler<Pod> = {
    onAdd: (pod) => {
      this.pods.set(undefined, pod)
      const owner = this.sets.ownerOf(pod)
      if (owner === undefined) {
        this.queueAdopters(pod)
        return
      }
      // A pod that is terminating when the informer first delivers it fulfils no expected creation.
      if (pod.metadata.deletionTimestamp === undefined) this.expectations.creationObserved(keyOf(owner))
      else this.expectations.deletionObserved(keyOf(owner), podKey(pod))
      this.enqueue(owner)
    },
    onUpdate: (before, pod) => {
      this.pods.set(before, pod)
      const owner = this.sets.ownerOf(pod)
      const previous = this.sets.ownerOf(before)
      if (previous !== undefined && previous !== owner) this.enqueue(previous)
      if (owner !== undefined) {
        if (pod.metadata.deletionTimestamp !== undefined) this.expectations.deletionObserved(keyOf(owner), podKey(pod))
        this.enqueue(owner)
      } else if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.queueAdopters(pod)
    },
    onDelete: (pod) => {
      this.pods.delete(pod)
      const owner = this.sets.ownerOf(pod)
      if (owner === undefined) return
      this.expectations.deletionObserved(keyOf(owner), podKey(pod))
      this.enqueue(owner)
    }
  }

  private enqueue(replicaSet: ReplicaSet): void {
    this.parts.queue.add(keyOf(replicaSet))
  }

  private forget(replicaSet: ReplicaSet): void {
    this.expectations.forget(keyOf(replicaSet))
    this.adoptions.forget(replicaSet)
    this.pods.ownerDeleted(replicaSet.metadata.uid ?? "")
  }

  /** Queues the sets that select an orphaned pod, so that one of them adopts it. */
  private queueAdopters(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const replicaSet of this.sets.selecting(pod)) {
      this.adoptions.addCandidate(replicaSet, pod)
      this.enqueue(replicaSet)
    }
  }

  private tallyOf({ metadata }: ReplicaSet): ReplicaTally {
    return this.pods.tally(metadata.uid ?? "")
  }

  private sync(key: string, done: Done, onDefect: OnDefect): void {
    const { send, watch } = this.connection
    const connection: Connection = {
      watch,
      send: (request, reply) =>
        send(request, (answer) => {
          try {
            reply(answer)
          } catch (error) {
            onDefect(error)
          }
        })
    }
    this.claimAndManage({ key, done, onDefect, connection, control: new PodControl(connection, this.parts.recorder) })
  }

  private claimAndManage(sync: Sync): void {
    const { done, key } = sync
    const replicaSet = this.sets.find(key)
    if (replicaSet === undefined) {
      this.expectations.forget(key)
      done()
      return
    }
    const mayAct = this.expectations.satisfied(key, this.now())
    const tally = this.tallyOf(replicaSet)
    tally.setReplicaSet(replicaSet)
    // Taken now, before orphans are adopted and pods released, and corrected for the adopted ones below.
    const counts = tally.counts(this.now())
    const orphans = this.adoptions.takeCandidates(replicaSet)
    if (orphans.length === 0 && !tally.hasStrays) {
      this.manage(sync, { replicaSet, counts, mayAct, active: undefined })
      return
    }
    const active = tally.activePods()
    this.claim(sync, replicaSet, orphans, (adopted, failure) => {
      const total = { ...counts, active: counts.active + adopted }
      if (failure === undefined) this.manage(sync, { replicaSet, counts: total, mayAct, active })
      else done(failure)
    })
  }

  /** Adopts orphans that the set selects, and releases pods that it no longer selects. */
  private claim(
    { control }: Sync,
    replicaSet: ReplicaSet,
    orphans: ReadonlyArray<Pod>,
    onClaimed: (adopted: number, error: ClusterError | undefined) => void
  ): void {
    const toAdopt = replicaSet.metadata.deletionTimestamp === undefined ? orphans : []
    const strays = this.tallyOf(replicaSet).strayPods()
    inParallel(
      [
        ...toAdopt.map((pod) => (onAnswer: Done) => control.adopt(replicaSet, pod, onAnswer)),
        ...strays.map((pod) => (onAnswer: Done) => control.release(replicaSet, pod, onAnswer))
      ],
      (request, onAnswer) => request(onAnswer),
      (error) => onClaimed(toAdopt.length, error)
    )
  }

  private manage(sync: Sync, { active, counts, mayAct, replicaSet }: Managed): void {
    const { burstReplicas } = this.parts.config
    const finish = (error?: ClusterError) => this.writeStatus(sync, replicaSet, counts, error)
    const plan = replicaPlan(counts.active, replicaSet.spec.replicas ?? 1, burstReplicas)
    if (!mayAct || plan.act === "nothing" || replicaSet.metadata.deletionTimestamp !== undefined) finish()
    else if (plan.act === "create") this.createPods(sync, replicaSet, plan.count, finish)
    else {
      const pods = active ?? this.tallyOf(replicaSet).activePods()
      this.deletePods(sync, replicaSet, pods, plan.count, finish)
    }
  }

  private createPods({ control, key }: Sync, replicaSet: ReplicaSet, count: number, done: Done): void {
    const template = replicaSet.spec.template ?? { spec: { containers: [] } }
    this.expectations.expectCreations(key, count, this.now())
    slowStart<ClusterError>(
      count,
      (onAnswer) => control.create(replicaSet, template, onAnswer),
      ({ error, skipped }) => {
        this.expectations.creationObserved(key, skipped)
        done(error)
      }
    )
  }

  private deletePods(
    { control, key }: Sync,
    replicaSet: ReplicaSet,
    active: ReadonlyArray<Pod>,
    count: number,
    done: Done
  ): void {
    const related = this.sets.siblings(replicaSet).flatMap((sibling) => this.tallyOf(sibling).activePods())
    const chosen = podsToDelete(active, related, count, this.now())
    this.parts.onDeletion?.(deletionAgeRatios(active, chosen, this.now()))
    this.expectations.expectDeletions(key, chosen.map(podKey), this.now())
    inParallel(
      chosen,
      (pod, onAnswer) =>
        control.delete(replicaSet, pod, (error) => {
          if (error !== undefined) this.expectations.deletionObserved(key, podKey(pod))
          onAnswer(error !== undefined && isNotFound(error) ? undefined : error)
        }),
      done
    )
  }

  private writeStatus(
    { connection, done }: Sync,
    replicaSet: ReplicaSet,
    counts: ReplicaCounts,
    error: ClusterError | undefined
  ): void {
    this.planAvailability(replicaSet, counts)
    const status = replicaSetStatus(replicaSet, counts, error?.message, this.now())
    if (status === undefined) {
      done(error)
      return
    }
    writeStatus(connection, this.parts.kind, this.sets.newest(replicaSet), status, (failure) => done(failure ?? error))
  }

  /** Plans the next sync for when a pod becomes available: with minReadySeconds, that is not an event. */
  private planAvailability(replicaSet: ReplicaSet, counts: ReplicaCounts): void {
    const minReadyMs = (replicaSet.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMs === 0 || counts.available === counts.ready) return
    let next = Number.POSITIVE_INFINITY
    for (const pod of this.tallyOf(replicaSet).activePods()) {
      const left = readySince(pod) + minReadyMs - this.now()
      if (left >= 0) next = Math.min(next, left)
    }
    if (Number.isFinite(next)) this.parts.queue.addAfter(keyOf(replicaSet), next + 1)
  }

  private now(): number {
    return this.parts.timers.now()
  }
}
