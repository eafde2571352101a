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
import type { ClusterSnapshot, DrainPorts, PlanScheduler } from "./Snapshot.ts"
import type { Timing } from "./timing.ts"

const DEFAULT_GRACE_SECONDS = 30

/** A pod that is preempted, and the pod whose replacement preempts it. */
export interface Displacement {
  readonly planned: PlannedPod
  readonly node: string
  readonly for: string
  readonly at: number
}

interface Awaited {
  readonly predecessor: PlannedPod
  readonly ordinal: number
}

/**
 * A cluster in the plan's virtual time: pods terminate, controllers replace them, the scheduler places the
 * replacements, budgets are recounted.
 */
export class PlanCluster {
  readonly events = new EventQueue()
  readonly ledger: BudgetLedger
  readonly displaced: Array<Displacement> = []
  /** Increased by each change that an eviction could depend on. */
  version = 0
  private readonly snapshot: ClusterSnapshot
  private readonly timing: Timing
  private readonly scheduler: PlanScheduler
  private readonly nodes: ReadonlyMap<string, Node>
  private readonly daemonSets: ReadonlySet<string>
  private readonly pods: Array<PlannedPod> = []
  private readonly byController = new Map<string, Array<PlannedPod>>()
  /** Deleted pods of StatefulSets that have not been recreated yet, by the set's uid. */
  private readonly awaited = new Map<string, Array<Awaited>>()
  private readonly unplaced: Array<PlannedPod> = []
  /** Namespaces that are being deleted. */
  private readonly terminatingNamespaces: ReadonlySet<string>
  private made = 0

  constructor(snapshot: ClusterSnapshot, cordoned: ReadonlySet<string>, ports: DrainPorts, timing: Timing) {
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
    this.scheduler = ports.scheduler(this.snapshot, () => this.ledger.all())
    for (const pod of snapshot.pods) this.enter(plannedPod(pod))
    for (const planned of this.pods) if (planned.isTerminating) this.awaitEnd(planned)
    // The namespace controller deletes its pods before a drain could evict one.
    for (const planned of [...this.pods]) {
      if (!planned.isTerminating && this.terminatingNamespaces.has(planned.pod.metadata.namespace ?? "")) {
        this.terminate(planned, this.graceOf(planned.pod, undefined))
      }
    }
  }

  get nowMs(): number {
    return this.snapshot.nowMs + this.events.now * 1000
  }

  /** The pods of a node that still exist, in the order of the API's list. */
  on(node: string): ReadonlyArray<PlannedPod> {
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

  explainStuckTermination(planned: PlannedPod): string | undefined {
    return explainStuckTermination(planned.pod, this.nodeOf(planned), this.snapshot.nowMs)
  }

  graceOf({ metadata, spec }: Pod, override: number | undefined): number {
    if (metadata.deletionTimestamp !== undefined) {
      const left = Math.max(0, (parseTime(metadata.deletionTimestamp) - this.nowMs) / 1000)
      return override === undefined ? left : Math.min(left, override)
    }
    return override ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  }

  /** Deletes a pod. A forced deletion takes effect at once, whatever the state of its node. */
  terminate(planned: PlannedPod, graceSeconds: number, isForced = false): void {
    if (planned.isGone) return
    this.version++
    if (planned.healthy) this.ledger.count(planned.pod, -1)
    planned.healthy = false
    const wasTerminating = planned.isTerminating
    planned.isTerminating = true
    if (!wasTerminating || isForced) {
      const deletionTimestamp = formatTime(this.nowMs + graceSeconds * 1000)
      planned.pod = { ...planned.pod, metadata: { ...planned.pod.metadata, deletionTimestamp } }
    }
    this.scheduler.update(planned.pod)
    const asksForNone = graceSeconds === 0 && !wasTerminating
    if (isForced || asksForNone || isPodTerminal(planned.pod)) this.end(planned)
    else if (this.explainStuckTermination(planned) === undefined) {
      const seconds = wasTerminating ? graceSeconds : this.timing.stop(planned.pod, graceSeconds)
      this.events.at(this.events.now + seconds, () => this.end(planned))
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

  private enter(planned: PlannedPod): void {
    this.pods.push(planned)
    const family = getControllerOf(planned.pod)?.uid
    if (family === undefined) return
    const known = this.byController.get(family)
    if (known === undefined) this.byController.set(family, [planned])
    else known.push(planned)
  }

  private siblingsOf({ pod }: PlannedPod): ReadonlyArray<PlannedPod> {
    return this.byController.get(getControllerOf(pod)?.uid ?? "") ?? []
  }

  /**
   * Handles a pod that was deleted before the drain: it has been replaced already, unless its replacement must have
   * the same name.
   */
  private awaitEnd(planned: PlannedPod): void {
    const policy = this.replacementPolicyOf(planned.pod)
    if (policy._tag === "OnDeletion") planned.successor = { kind: "none", why: "already replaced" }
    if (policy._tag === "Never") planned.successor = { kind: "none", why: policy.why }
    if (planned.node === undefined || this.explainStuckTermination(planned) !== undefined) return
    this.events.at(this.graceOf(planned.pod, undefined), () => this.end(planned))
  }

  private end(planned: PlannedPod): void {
    if (planned.isGone) return
    if (heldByFinalizers(planned.pod) !== undefined) return
    planned.isGone = true
    planned.goneAt = this.events.now
    this.version++
    this.scheduler.remove(planned.pod)
    const policy = this.replacementPolicyOf(planned.pod)
    if (policy._tag === "AfterRemoval") this.awaitOrdinal(planned, policy.ordinal)
    for (const waiting of [...this.unplaced]) this.place(waiting)
  }

  /** The replicas that the controller wants; Infinity where that is not known. */
  private replicasOf({ pod }: PlannedPod): number {
    const uid = getControllerOf(pod)?.uid
    const set = [...this.snapshot.replicaSets, ...this.snapshot.statefulSets].find(
      ({ metadata }) => metadata.uid === uid
    )
    return set === undefined || uid === undefined ? Number.POSITIVE_INFINITY : (set.spec.replicas ?? 1)
  }

  private replace(predecessor: PlannedPod): void {
    const active = this.siblingsOf(predecessor).filter(
      ({ isGone, isTerminating, pod }) => !isGone && !isTerminating && !isPodTerminal(pod)
    )
    if (active.length >= this.replicasOf(predecessor)) {
      predecessor.successor = { kind: "none", why: "its controller has enough pods without it" }
      return
    }
    const { generateName, name = "" } = predecessor.pod.metadata
    this.make(predecessor, `${generateName ?? `${name}-`}${this.made + 1}`)
  }

  private make(predecessor: PlannedPod, name: string): void {
    if (this.terminatingNamespaces.has(predecessor.pod.metadata.namespace ?? "")) {
      predecessor.successor = { kind: "none", why: "its namespace is being deleted" }
      return
    }
    const replaces = predecessor.replaces ?? nameOf(predecessor.pod)
    const fresh = plannedPod(replacementPod(predecessor.pod, name, `planned-${++this.made}`), replaces)
    fresh.madeAt = this.events.now
    predecessor.successor = { kind: "pod", pod: fresh }
    this.enter(fresh)
    this.unplaced.push(fresh)
    this.place(fresh, predecessor)
  }

  private place(fresh: PlannedPod, predecessor?: PlannedPod): void {
    const placement = this.scheduler.place(fresh.pod)
    if (placement._tag === "Placed") {
      this.unplaced.splice(this.unplaced.indexOf(fresh), 1)
      fresh.node = placement.node
      fresh.placedAt = this.events.now
      fresh.pod = { ...fresh.pod, spec: { ...fresh.pod.spec, nodeName: placement.node } }
      if (isUnreachable(this.nodeOf(fresh)) || !this.runs(fresh, predecessor)) return
      this.events.at(this.events.now + this.timing.start(fresh.pod), () => this.becomeReady(fresh))
      return
    }
    fresh.message = placement.message
    const { makesRoom } = placement
    if (makesRoom === undefined) return
    for (const victim of makesRoom.victims) {
      const planned = this.pods.find(({ isGone, pod }) => !isGone && nameOf(pod) === nameOf(victim))
      if (planned === undefined || planned.isTerminating) continue
      const name = nameOf(predecessor?.pod ?? fresh.pod)
      this.displaced.push({ planned, node: makesRoom.node, for: name, at: this.events.now })
      this.terminate(planned, this.graceOf(planned.pod, undefined))
    }
  }

  private readonly neverReady = new Set<PlannedPod>()

  private runs(fresh: PlannedPod, predecessor: PlannedPod | undefined): boolean {
    if (predecessor !== undefined && !wouldRun(predecessor.pod, this.nodeOf(predecessor))) this.neverReady.add(fresh)
    return !this.neverReady.has(fresh)
  }

  private becomeReady(fresh: PlannedPod): void {
    if (fresh.isTerminating) return
    fresh.readyAt = this.events.now
    fresh.healthy = true
    const conditions = [{ type: "Ready", status: "True" as const }]
    fresh.pod = { ...fresh.pod, status: { phase: "Running", conditions } }
    this.version++
    this.ledger.count(fresh.pod, 1)
    this.recreateOrdinals(getControllerOf(fresh.pod)?.uid ?? "")
  }

  private awaitOrdinal(predecessor: PlannedPod, ordinal: number): void {
    const set = getControllerOf(predecessor.pod)?.uid ?? ""
    if (ordinal >= this.replicasOf(predecessor)) {
      predecessor.successor = { kind: "none", why: "its StatefulSet has been scaled down" }
      return
    }
    const list = this.awaited.get(set) ?? []
    this.awaited.set(
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
    for (let next = this.awaited.get(set)?.[0]; next !== undefined; next = this.awaited.get(set)?.[0]) {
      const { ordinal, predecessor } = next
      const holdsUp = parallel ? undefined : this.unreadyBefore(predecessor, ordinal)
      if (holdsUp !== undefined) {
        const why = `its StatefulSet waits for ${nameOf(holdsUp.pod)} first`
        for (const { predecessor: waiting } of this.awaited.get(set) ?? []) waiting.successor = { kind: "waiting", why }
        return
      }
      this.awaited.set(set, (this.awaited.get(set) ?? []).slice(1))
      this.make(predecessor, predecessor.pod.metadata.name ?? "")
    }
  }

  private unreadyBefore(predecessor: PlannedPod, ordinal: number): PlannedPod | undefined {
    return this.siblingsOf(predecessor).find((other) => {
      if (other.isGone || other.healthy || isPodTerminal(other.pod)) return false
      const policy = this.replacementPolicyOf(other.pod)
      return policy._tag === "AfterRemoval" && policy.ordinal < ordinal
    })
  }
}
