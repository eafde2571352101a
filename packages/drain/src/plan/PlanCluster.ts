import {
  formatTime,
  getControllerOf,
  isPodTerminal,
  matchesLabelSelector,
  type Node,
  type Pod,
  type PodDisruptionBudget,
  parseTime
} from "@rollcall/api"
import { daemonSetOf } from "../PodFilters.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import { EventQueue } from "./EventQueue.ts"
import {
  byName,
  explainStuckTermination,
  heldByFinalizers,
  isUnreachable,
  nameOf,
  type PlannedPod,
  plannedPod,
  wouldRun
} from "./PlannedPod.ts"
import { type ReplacementPolicy, replacementPod, replacementPolicyOf } from "./replacementPolicy.ts"
import type { ClusterSnapshot, DrainDependencies, PlanScheduler } from "./Snapshot.ts"
import type { Timing } from "./timing.ts"

const DEFAULT_GRACE_SECONDS = 30

/** A preemption. `for` is the `namespace/name` of the pod whose replacement causes it; `at` is in seconds. */
export interface Displacement {
  readonly planned: PlannedPod
  readonly node: string
  readonly for: string
  readonly at: number
}

/** A pod of a StatefulSet that is to be recreated under its old name. */
interface PendingOrdinal {
  readonly predecessor: PlannedPod
  readonly ordinal: number
}

/**
 * A cluster in the plan's virtual time: pods terminate, controllers replace them, the scheduler places the
 * replacements, and the budgets count the healthy pods. `events.now` and all times are seconds since the drain began.
 */
export class PlanCluster {
  readonly events = new EventQueue()
  readonly ledger: BudgetLedger
  readonly displaced: Array<Displacement> = []
  /** Increased by each change on which the outcome of an eviction could depend. */
  version = 0
  private readonly snapshot: ClusterSnapshot
  private readonly timing: Timing
  private readonly scheduler: PlanScheduler
  private readonly nodes: ReadonlyMap<string, Node>
  private readonly daemonSets: ReadonlySet<string>
  private readonly pods: Array<PlannedPod> = []
  /** By the uid of the controller. */
  private readonly byController = new Map<string, Array<PlannedPod>>()
  /** Deleted pods of StatefulSets that have not been recreated yet, lowest ordinal first, by the set's uid. */
  private readonly pendingOrdinals = new Map<string, Array<PendingOrdinal>>()
  /** Replacements of pods that were not ready for reasons that also hold on another node: see `wouldRun`. */
  private readonly neverReady = new Set<PlannedPod>()
  /** Replacements without a node. */
  private readonly unplaced: Array<PlannedPod> = []
  /** Namespaces that are being deleted. */
  private readonly terminatingNamespaces: ReadonlySet<string>
  /** Number of replacements so far; makes names and uids of new ones unique. */
  private replacementCount = 0

  constructor(
    snapshot: ClusterSnapshot,
    cordoned: ReadonlySet<string>,
    dependencies: DrainDependencies,
    timing: Timing
  ) {
    this.timing = timing
    this.terminatingNamespaces = new Set(
      snapshot.namespaces
        ?.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => metadata.name ?? "")
    )
    this.ledger = new BudgetLedger(snapshot.budgets)
    const nodes = snapshot.nodes.map((node) =>
      cordoned.has(node.metadata.name ?? "") ? { ...node, spec: { ...node.spec, unschedulable: true } } : node
    )
    this.snapshot = { ...snapshot, nodes }
    this.nodes = new Map(nodes.map((node) => [node.metadata.name ?? "", node]))
    this.daemonSets = new Set(snapshot.daemonSets.map(nameOf))
    this.scheduler = dependencies.scheduler(this.snapshot, () => this.ledger.all())
    for (const pod of snapshot.pods) this.addPod(plannedPod(pod))
    for (const planned of this.pods) if (planned.isTerminating) this.continueTermination(planned)
    // The namespace controller deletes the pods of a terminating namespace before a drain could evict one.
    for (const planned of [...this.pods]) {
      if (!planned.isTerminating && this.terminatingNamespaces.has(planned.pod.metadata.namespace ?? "")) {
        this.terminate(planned, this.graceOf(planned.pod, undefined))
      }
    }
  }

  /** The virtual time, in milliseconds since the Unix epoch. */
  get nowMs(): number {
    return this.snapshot.nowMs + this.events.now * 1000
  }

  /** The pods of a node that still exist, in the order of the API's list. */
  podsOn(node: string): ReadonlyArray<PlannedPod> {
    return this.pods
      .filter((planned) => planned.node === node && !planned.isGone)
      .toSorted((left, right) => byName(left.pod, right.pod))
  }

  /** All pods that a budget selects, in their current state. */
  selectedBy({ metadata, spec }: PodDisruptionBudget): ReadonlyArray<PlannedPod> {
    return this.pods.filter(
      ({ isGone, pod }) =>
        !isGone &&
        pod.metadata.namespace === metadata.namespace &&
        matchesLabelSelector(spec?.selector, pod.metadata.labels)
    )
  }

  hasDaemonSet(namespace: string, name: string): boolean {
    return this.daemonSets.has(nameOf({ metadata: { namespace, name } }))
  }

  nodeOf({ node }: PlannedPod): Node | undefined {
    return this.nodes.get(node ?? "")
  }

  /** Why a deleted pod does not terminate; undefined if it does. */
  explainStuckTermination(planned: PlannedPod): string | undefined {
    return explainStuckTermination(planned.pod, this.nodeOf(planned), this.snapshot.nowMs)
  }

  /** The grace period in seconds; for a pod that is terminating, what is left of it. */
  graceOf({ metadata, spec }: Pod, override: number | undefined): number {
    if (metadata.deletionTimestamp !== undefined) {
      const left = Math.max(0, (parseTime(metadata.deletionTimestamp) - this.nowMs) / 1000)
      return override === undefined ? left : Math.min(left, override)
    }
    return override ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  }

  /** Deletes a pod. A forced deletion removes the object at once, whatever the state of its node. */
  terminate(planned: PlannedPod, graceSeconds: number, isForced = false): void {
    if (planned.isGone) return
    this.version++
    if (planned.healthy) this.ledger.countHealthy(planned.pod, -1)
    planned.healthy = false
    const wasTerminating = planned.isTerminating
    planned.isTerminating = true
    if (!wasTerminating || isForced) {
      const deletionTimestamp = formatTime(this.nowMs + graceSeconds * 1000)
      planned.pod = { ...planned.pod, metadata: { ...planned.pod.metadata, deletionTimestamp } }
    }
    this.scheduler.update(planned.pod)
    const hasNoGrace = graceSeconds === 0 && !wasTerminating
    if (isForced || hasNoGrace || isPodTerminal(planned.pod)) this.remove(planned)
    else if (this.explainStuckTermination(planned) === undefined) {
      const seconds = wasTerminating ? graceSeconds : this.timing.stop(planned.pod, graceSeconds)
      this.events.at(this.events.now + seconds, () => this.remove(planned))
    }
    if (wasTerminating) return
    const policy = this.replacementPolicyOf(planned.pod)
    if (policy._tag === "Never") planned.successor = { kind: "none", why: policy.why }
    else if (policy._tag === "OnDeletion") this.replace(planned)
  }

  private replacementPolicyOf(pod: Pod): ReplacementPolicy {
    const set = daemonSetOf(pod)
    return replacementPolicyOf(pod, set !== undefined && !this.hasDaemonSet(pod.metadata.namespace ?? "", set.name))
  }

  private addPod(planned: PlannedPod): void {
    this.pods.push(planned)
    const controllerUid = getControllerOf(planned.pod)?.uid
    if (controllerUid === undefined) return
    const siblings = this.byController.get(controllerUid)
    if (siblings === undefined) this.byController.set(controllerUid, [planned])
    else siblings.push(planned)
  }

  /** All pods of the same controller, including this one and deleted ones. */
  private siblingsOf({ pod }: PlannedPod): ReadonlyArray<PlannedPod> {
    return this.byController.get(getControllerOf(pod)?.uid ?? "") ?? []
  }

  /**
   * Plans the end of a pod that was deleted before the drain. It has been replaced already, unless its replacement must
   * have the same name.
   */
  private continueTermination(planned: PlannedPod): void {
    const policy = this.replacementPolicyOf(planned.pod)
    if (policy._tag === "OnDeletion") planned.successor = { kind: "none", why: "already replaced" }
    if (policy._tag === "Never") planned.successor = { kind: "none", why: policy.why }
    if (planned.node === undefined || this.explainStuckTermination(planned) !== undefined) return
    this.events.at(this.graceOf(planned.pod, undefined), () => this.remove(planned))
  }

  /** Removes the object of a pod that has terminated, unless a finalizer holds it. */
  private remove(planned: PlannedPod): void {
    if (planned.isGone) return
    if (heldByFinalizers(planned.pod) !== undefined) return
    planned.isGone = true
    planned.goneAt = this.events.now
    this.version++
    this.scheduler.remove(planned.pod)
    const policy = this.replacementPolicyOf(planned.pod)
    if (policy._tag === "AfterRemoval") this.recreateOrdinal(planned, policy.ordinal)
    for (const waiting of [...this.unplaced]) this.place(waiting)
  }

  /** `spec.replicas` of the pod's ReplicaSet or StatefulSet; Infinity for other controllers. */
  private replicasOf({ pod }: PlannedPod): number {
    const uid = getControllerOf(pod)?.uid
    const set = [...this.snapshot.replicaSets, ...this.snapshot.statefulSets].find(
      ({ metadata }) => metadata.uid === uid
    )
    return set === undefined || uid === undefined ? Number.POSITIVE_INFINITY : (set.spec.replicas ?? 1)
  }

  /** Creates a replacement at once, as a ReplicaSet does, unless the controller has enough pods. */
  private replace(predecessor: PlannedPod): void {
    const active = this.siblingsOf(predecessor).filter(
      ({ isGone, isTerminating, pod }) => !isGone && !isTerminating && !isPodTerminal(pod)
    )
    if (active.length >= this.replicasOf(predecessor)) {
      predecessor.successor = { kind: "none", why: "its controller has enough pods without it" }
      return
    }
    const { generateName, name = "" } = predecessor.pod.metadata
    this.createReplacement(predecessor, `${generateName ?? `${name}-`}${this.replacementCount + 1}`)
  }

  private createReplacement(predecessor: PlannedPod, name: string): void {
    if (this.terminatingNamespaces.has(predecessor.pod.metadata.namespace ?? "")) {
      predecessor.successor = { kind: "none", why: "its namespace is being deleted" }
      return
    }
    const replaces = predecessor.replaces ?? nameOf(predecessor.pod)
    const fresh = plannedPod(replacementPod(predecessor.pod, name, `planned-${++this.replacementCount}`), replaces)
    fresh.madeAt = this.events.now
    predecessor.successor = { kind: "pod", pod: fresh }
    const runs = wouldRun(predecessor.pod, this.nodeOf(predecessor)) && !this.neverReady.has(predecessor)
    if (!runs) this.neverReady.add(fresh)
    this.addPod(fresh)
    this.unplaced.push(fresh)
    this.place(fresh, predecessor)
  }

  /** Schedules a replacement. `predecessor` is given at the first attempt only. */
  private place(fresh: PlannedPod, predecessor?: PlannedPod): void {
    const placement = this.scheduler.place(fresh.pod)
    if (placement._tag === "Placed") {
      this.unplaced.splice(this.unplaced.indexOf(fresh), 1)
      fresh.node = placement.node
      fresh.placedAt = this.events.now
      fresh.pod = { ...fresh.pod, spec: { ...fresh.pod.spec, nodeName: placement.node } }
      if (isUnreachable(this.nodeOf(fresh)) || this.neverReady.has(fresh)) return
      this.events.at(this.events.now + this.timing.start(fresh.pod), () => this.becomeReady(fresh))
      return
    }
    fresh.message = placement.message
    const { preemption } = placement
    if (preemption === undefined) return
    for (const victim of preemption.victims) {
      const planned = this.pods.find(({ isGone, pod }) => !isGone && nameOf(pod) === nameOf(victim))
      if (planned === undefined || planned.isTerminating) continue
      const name = nameOf(predecessor?.pod ?? fresh.pod)
      this.displaced.push({ planned, node: preemption.node, for: name, at: this.events.now })
      this.terminate(planned, this.graceOf(planned.pod, undefined))
    }
  }

  private becomeReady(fresh: PlannedPod): void {
    if (fresh.isTerminating) return
    fresh.readyAt = this.events.now
    fresh.healthy = true
    const conditions = [{ type: "Ready", status: "True" as const }]
    fresh.pod = { ...fresh.pod, status: { phase: "Running", conditions } }
    this.version++
    this.ledger.countHealthy(fresh.pod, 1)
    this.recreateOrdinals(getControllerOf(fresh.pod)?.uid ?? "")
  }

  private recreateOrdinal(predecessor: PlannedPod, ordinal: number): void {
    const set = getControllerOf(predecessor.pod)?.uid ?? ""
    if (ordinal >= this.replicasOf(predecessor)) {
      predecessor.successor = { kind: "none", why: "its StatefulSet has been scaled down" }
      return
    }
    const list = this.pendingOrdinals.get(set) ?? []
    this.pendingOrdinals.set(
      set,
      [...list, { predecessor, ordinal }].toSorted((left, right) => left.ordinal - right.ordinal)
    )
    this.recreateOrdinals(set)
  }

  /**
   * Recreates pods of a StatefulSet: with podManagementPolicy OrderedReady when all lower ordinals are ready, with
   * Parallel all at once.
   */
  private recreateOrdinals(set: string): void {
    const parallel =
      this.snapshot.statefulSets.find(({ metadata }) => metadata.uid === set)?.spec.podManagementPolicy === "Parallel"
    for (let next = this.pendingOrdinals.get(set)?.[0]; next !== undefined; next = this.pendingOrdinals.get(set)?.[0]) {
      const { ordinal, predecessor } = next
      const unready = parallel ? undefined : this.unreadyBefore(predecessor, ordinal)
      if (unready !== undefined) {
        const why = `its StatefulSet waits for ${nameOf(unready.pod)} first`
        for (const { predecessor: waiting } of this.pendingOrdinals.get(set) ?? [])
          waiting.successor = { kind: "waiting", why }
        return
      }
      this.pendingOrdinals.set(set, (this.pendingOrdinals.get(set) ?? []).slice(1))
      this.createReplacement(predecessor, predecessor.pod.metadata.name ?? "")
    }
  }

  /** A pod of the set with a lower ordinal that is not ready; undefined if there is none. */
  private unreadyBefore(predecessor: PlannedPod, ordinal: number): PlannedPod | undefined {
    return this.siblingsOf(predecessor).find((other) => {
      if (other.isGone || other.healthy || isPodTerminal(other.pod)) return false
      const policy = this.replacementPolicyOf(other.pod)
      return policy._tag === "AfterRemoval" && policy.ordinal < ordinal
    })
  }
}
