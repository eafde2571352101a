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
import { podsToDelete } from "./deletionOrder.ts"
import { PodControl } from "./PodControl.ts"
import { PodsByOwner, podKey } from "./PodsByOwner.ts"
import type { ReplicaTally } from "./ReplicaTally.ts"
import { replicaPlan } from "./replicaPlan.ts"
import { SetIndex } from "./SetIndex.ts"
import { type ReplicaCounts, replicaSetStatus } from "./status.ts"
import { writeStatus } from "./writeStatus.ts"

/** Settings, under the flag names of kube-controller-manager where it has them. */
export interface ReplicaSetConfig {
  /** `--concurrent-replicaset-syncs` */
  readonly concurrentSyncs: number
  /** The most creations or deletions in one sync. */
  readonly burstReplicas: number
}

/** Upstream: pkg/controller/replicaset/{config,replica_set}.go. */
export const defaultReplicaSetConfig: ReplicaSetConfig = { concurrentSyncs: 5, burstReplicas: 500 }

export interface ReplicaSetParts extends PlainParts {
  readonly config: ReplicaSetConfig
}

type Done = (error?: ClusterError) => void
/** Called with a thrown error, which ends the sync of a set. */
type Failed = (error: unknown) => void

/** One sync of a set: its callbacks and its connection. */
interface Turn {
  readonly key: string
  readonly done: Done
  readonly failed: Failed
  /** An error thrown by a reply ends the sync. */
  readonly connection: Connection
  readonly control: PodControl
}

/** The pods of a set, and whether its cache is current enough to act. */
interface Managed {
  readonly replicaSet: ReplicaSet
  readonly counts: ReplicaCounts
  readonly mayAct: boolean
  readonly active: ReadonlyArray<Pod> | undefined
}

/**
 * Keeps the desired number of pods for each ReplicaSet. A terminating pod is no replica, so its replacement is created
 * at once, even if it hangs on a dead node; a pod on a dead node that is not terminating is one. Plain code, fed by
 * informers. Upstream: pkg/controller/replicaset/replica_set.go.
 */
export class ReplicaSets {
  private readonly parts: ReplicaSetParts
  private readonly connection: Connection
  private readonly expectations = new Expectations()
  private readonly pods = new PodsByOwner()
  private readonly sets = new SetIndex()
  private readonly adoptions = new Adoptions()

  constructor(parts: ReplicaSetParts) {
    this.parts = parts
    this.connection = neverThrowing(parts.connection, parts.timers)
  }

  /** Syncs the set of a key. */
  readonly work: Work<ClusterError> = (key, done, failed) =>
    this.sync(key, done, (error) => {
      // The requests that it expected may not have been sent.
      this.expectations.forget(key)
      failed(error)
    })

  readonly replicaSetHandler: InformerHandler<ReplicaSet> = {
    onAdd: (replicaSet) => {
      this.sets.set(replicaSet)
      this.adoptions.offerAll(replicaSet, this.pods)
      this.enqueue(replicaSet)
    },
    onUpdate: (before, replicaSet) => {
      if (before.metadata.uid !== replicaSet.metadata.uid) this.forget(before)
      this.sets.set(replicaSet)
      if (before.spec.selector !== replicaSet.spec.selector) this.adoptions.offerAll(replicaSet, this.pods)
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
        this.offer(pod)
        return
      }
      // A pod that is terminating when it is first seen was never counted as a replica.
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
      } else if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.offer(pod)
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
    this.pods.retire(replicaSet.metadata.uid ?? "")
  }

  /** Offers an orphaned pod to the sets that select it. */
  private offer(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const replicaSet of this.sets.selecting(pod)) {
      this.adoptions.offer(replicaSet, pod)
      this.enqueue(replicaSet)
    }
  }

  private tallyOf({ metadata }: ReplicaSet): ReplicaTally {
    return this.pods.tally(metadata.uid ?? "")
  }

  private sync(key: string, done: Done, failed: Failed): void {
    const { send, watch } = this.connection
    const connection: Connection = {
      watch,
      send: (request, reply) =>
        send(request, (answer) => {
          try {
            reply(answer)
          } catch (error) {
            failed(error)
          }
        })
    }
    this.look({ key, done, failed, connection, control: new PodControl(connection, this.parts.recorder) })
  }

  private look(turn: Turn): void {
    const { done, key } = turn
    const replicaSet = this.sets.find(key)
    if (replicaSet === undefined) {
      this.expectations.forget(key)
      done()
      return
    }
    const mayAct = this.expectations.satisfied(key, this.now())
    const tally = this.tallyOf(replicaSet)
    tally.setReplicaSet(replicaSet)
    // Acts on the counts from before orphans are adopted and strays released.
    const counts = tally.counts(this.now())
    const orphans = this.adoptions.take(replicaSet)
    if (orphans.length === 0 && !tally.hasStrays) {
      this.manage(turn, { replicaSet, counts, mayAct, active: undefined })
      return
    }
    const active = tally.activePods()
    this.claim(turn, replicaSet, orphans, (adopted, failure) => {
      const total = { ...counts, active: counts.active + adopted }
      if (failure === undefined) this.manage(turn, { replicaSet, counts: total, mayAct, active })
      else done(failure)
    })
  }

  /** Adopts orphans that the set selects, and releases pods that it no longer selects. */
  private claim(
    { control }: Turn,
    replicaSet: ReplicaSet,
    orphans: ReadonlyArray<Pod>,
    claimed: (adopted: number, error: ClusterError | undefined) => void
  ): void {
    const adopts = replicaSet.metadata.deletionTimestamp === undefined ? orphans : []
    const strays = this.tallyOf(replicaSet).strayPods()
    inParallel(
      [
        ...adopts.map((pod) => (answered: Done) => control.adopt(replicaSet, pod, answered)),
        ...strays.map((pod) => (answered: Done) => control.release(replicaSet, pod, answered))
      ],
      (act, answered) => act(answered),
      (error) => claimed(adopts.length, error)
    )
  }

  private manage(turn: Turn, { active, counts, mayAct, replicaSet }: Managed): void {
    const { burstReplicas } = this.parts.config
    const finish = (error?: ClusterError) => this.report(turn, replicaSet, counts, error)
    const plan = replicaPlan(counts.active, replicaSet.spec.replicas ?? 1, burstReplicas)
    if (!mayAct || plan.act === "nothing" || replicaSet.metadata.deletionTimestamp !== undefined) finish()
    else if (plan.act === "create") this.createPods(turn, replicaSet, plan.count, finish)
    else {
      const pods = active ?? this.tallyOf(replicaSet).activePods()
      this.deletePods(turn, replicaSet, pods, plan.count, finish)
    }
  }

  private createPods({ control, key }: Turn, replicaSet: ReplicaSet, count: number, done: Done): void {
    const template = replicaSet.spec.template ?? { spec: { containers: [] } }
    this.expectations.expectCreations(key, count, this.now())
    slowStart<ClusterError>(
      count,
      (answered) => control.create(replicaSet, template, answered),
      ({ error, skipped }) => {
        this.expectations.creationObserved(key, skipped)
        done(error)
      }
    )
  }

  private deletePods(
    { control, key }: Turn,
    replicaSet: ReplicaSet,
    active: ReadonlyArray<Pod>,
    count: number,
    done: Done
  ): void {
    const related = this.sets.siblings(replicaSet).flatMap((sibling) => this.tallyOf(sibling).activePods())
    const chosen = podsToDelete(active, related, count, this.now())
    this.expectations.expectDeletions(key, chosen.map(podKey), this.now())
    inParallel(
      chosen,
      (pod, answered) =>
        control.delete(replicaSet, pod, (error) => {
          if (error !== undefined) this.expectations.deletionObserved(key, podKey(pod))
          answered(error !== undefined && isNotFound(error) ? undefined : error)
        }),
      done
    )
  }

  private report(
    { connection, done }: Turn,
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
    writeStatus(connection, replicaSet, status, (failure) => done(error ?? failure))
  }

  /** With minReadySeconds a pod becomes available without an event. */
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
