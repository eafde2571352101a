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
import { Agenda } from "./Agenda.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import { byName, heldBy, isSilent, nameOf, type PlannedPod, plannedPod, whyItStays, wouldRun } from "./PlannedPod.ts"
import { freshPod, type Replacing, replacingOf } from "./replacing.ts"
import type { ClusterSnapshot, DrainPorts, PlanScheduler } from "./Snapshot.ts"
import type { Timing } from "./timing.ts"

const DEFAULT_GRACE_SECONDS = 30

/** A pod that has to make room, and for whose replacement. */
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

/** A cluster in the time of a plan: pods end, controllers replace them, the scheduler places those, budgets are counted. */
export class World {
  readonly agenda = new Agenda()
  readonly ledger: BudgetLedger
  readonly displaced: Array<Displacement> = []
  /** Raised with each change that an eviction could depend on. */
  version = 0
  private readonly snapshot: ClusterSnapshot
  private readonly timing: Timing
  private readonly scheduler: PlanScheduler
  private readonly nodes: ReadonlyMap<string, Node>
  private readonly daemonSets: ReadonlySet<string>
  private readonly pods: Array<PlannedPod> = []
  private readonly families = new Map<string, Array<PlannedPod>>()
  /** Ordinals of StatefulSets that are to come again, by set. */
  private readonly awaited = new Map<string, Array<Awaited>>()
  private readonly unplaced: Array<PlannedPod> = []
  /** Namespaces that are being deleted. */
  private readonly closing: ReadonlySet<string>
  private made = 0

  constructor(snapshot: ClusterSnapshot, cordoned: ReadonlySet<string>, ports: DrainPorts, timing: Timing) {
    this.timing = timing
    this.closing = new Set(
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
    // The namespace's controller deletes all of them before anybody could evict one.
    for (const planned of [...this.pods]) {
      if (!planned.isTerminating && this.closing.has(planned.pod.metadata.namespace ?? "")) {
        this.terminate(planned, this.graceOf(planned.pod, undefined))
      }
    }
  }

  get nowMs(): number {
    return this.snapshot.nowMs + this.agenda.now * 1000
  }

  /** What runs, or ran, on a node, in the order of the API. */
  on(node: string): ReadonlyArray<PlannedPod> {
    return this.pods
      .filter((planned) => planned.node === node && !planned.isGone)
      .toSorted((left, right) => byName(left.pod, right.pod))
  }

  /** All that a budget selects, as they are now. */
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

  whyItStays(planned: PlannedPod): string | undefined {
    return whyItStays(planned.pod, this.nodeOf(planned), this.snapshot.nowMs)
  }

  graceOf({ metadata, spec }: Pod, override: number | undefined): number {
    if (metadata.deletionTimestamp !== undefined) {
      const left = Math.max(0, (parseTime(metadata.deletionTimestamp) - this.nowMs) / 1000)
      return override === undefined ? left : Math.min(left, override)
    }
    return override ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  }

  /** Tells a pod to go; at once, whatever its node does, when it is forced. */
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
    else if (this.whyItStays(planned) === undefined) {
      const seconds = wasTerminating ? graceSeconds : this.timing.stop(planned.pod, graceSeconds)
      this.agenda.at(this.agenda.now + seconds, () => this.end(planned))
    }
    if (wasTerminating) return
    const replacing = this.replacingOf(planned.pod)
    if (replacing._tag === "Never") planned.succession = { kind: "none", why: replacing.why }
    else if (replacing._tag === "AtOnce") this.replace(planned)
  }

  private replacingOf(pod: Pod): Replacing {
    const set = daemonSetOf(pod)
    return replacingOf(pod, set !== undefined && !this.hasDaemonSet(pod.metadata.namespace ?? "", set.name))
  }

  private enter(planned: PlannedPod): void {
    this.pods.push(planned)
    const family = getControllerOf(planned.pod)?.uid
    if (family === undefined) return
    const known = this.families.get(family)
    if (known === undefined) this.families.set(family, [planned])
    else known.push(planned)
  }

  private familyOf({ pod }: PlannedPod): ReadonlyArray<PlannedPod> {
    return this.families.get(getControllerOf(pod)?.uid ?? "") ?? []
  }

  /** One that was told to go before: its place is taken already, unless it keeps its name. */
  private awaitEnd(planned: PlannedPod): void {
    const replacing = this.replacingOf(planned.pod)
    if (replacing._tag === "AtOnce") planned.succession = { kind: "none", why: "replaced already" }
    if (replacing._tag === "Never") planned.succession = { kind: "none", why: replacing.why }
    if (planned.node === undefined || this.whyItStays(planned) !== undefined) return
    this.agenda.at(this.graceOf(planned.pod, undefined), () => this.end(planned))
  }

  private end(planned: PlannedPod): void {
    if (planned.isGone) return
    if (heldBy(planned.pod) !== undefined) return
    planned.isGone = true
    planned.goneAt = this.agenda.now
    this.version++
    this.scheduler.remove(planned.pod)
    const replacing = this.replacingOf(planned.pod)
    if (replacing._tag === "OnceGone") this.awaitOrdinal(planned, replacing.ordinal)
    for (const waiting of [...this.unplaced]) this.place(waiting)
  }

  /** How many pods the controller asks for, where that is known. */
  private replicasOf({ pod }: PlannedPod): number {
    const uid = getControllerOf(pod)?.uid
    const set = [...this.snapshot.replicaSets, ...this.snapshot.statefulSets].find(
      ({ metadata }) => metadata.uid === uid
    )
    return set === undefined || uid === undefined ? Number.POSITIVE_INFINITY : (set.spec.replicas ?? 1)
  }

  private replace(predecessor: PlannedPod): void {
    const active = this.familyOf(predecessor).filter(
      ({ isGone, isTerminating, pod }) => !isGone && !isTerminating && !isPodTerminal(pod)
    )
    if (active.length >= this.replicasOf(predecessor)) {
      predecessor.succession = { kind: "none", why: "its controller has pods enough without it" }
      return
    }
    const { generateName, name = "" } = predecessor.pod.metadata
    this.make(predecessor, `${generateName ?? `${name}-`}${this.made + 1}`)
  }

  private make(predecessor: PlannedPod, name: string): void {
    if (this.closing.has(predecessor.pod.metadata.namespace ?? "")) {
      predecessor.succession = { kind: "none", why: "its namespace is being deleted" }
      return
    }
    const replaces = predecessor.replaces ?? nameOf(predecessor.pod)
    const fresh = plannedPod(freshPod(predecessor.pod, name, `planned-${++this.made}`), replaces)
    fresh.madeAt = this.agenda.now
    predecessor.succession = { kind: "pod", pod: fresh }
    this.enter(fresh)
    this.unplaced.push(fresh)
    this.place(fresh, predecessor)
  }

  private place(fresh: PlannedPod, predecessor?: PlannedPod): void {
    const placement = this.scheduler.place(fresh.pod)
    if (placement._tag === "Placed") {
      this.unplaced.splice(this.unplaced.indexOf(fresh), 1)
      fresh.node = placement.node
      fresh.placedAt = this.agenda.now
      fresh.pod = { ...fresh.pod, spec: { ...fresh.pod.spec, nodeName: placement.node } }
      if (isSilent(this.nodeOf(fresh)) || !this.runs(fresh, predecessor)) return
      this.agenda.at(this.agenda.now + this.timing.start(fresh.pod), () => this.becomeReady(fresh))
      return
    }
    fresh.message = placement.message
    const { makesRoom } = placement
    if (makesRoom === undefined) return
    for (const victim of makesRoom.victims) {
      const planned = this.pods.find(({ isGone, pod }) => !isGone && nameOf(pod) === nameOf(victim))
      if (planned === undefined || planned.isTerminating) continue
      const name = nameOf(predecessor?.pod ?? fresh.pod)
      this.displaced.push({ planned, node: makesRoom.node, for: name, at: this.agenda.now })
      this.terminate(planned, this.graceOf(planned.pod, undefined))
    }
  }

  private readonly doomed = new Set<PlannedPod>()

  private runs(fresh: PlannedPod, predecessor: PlannedPod | undefined): boolean {
    if (predecessor !== undefined && !wouldRun(predecessor.pod, this.nodeOf(predecessor))) this.doomed.add(fresh)
    return !this.doomed.has(fresh)
  }

  private becomeReady(fresh: PlannedPod): void {
    if (fresh.isTerminating) return
    fresh.readyAt = this.agenda.now
    fresh.healthy = true
    const conditions = [{ type: "Ready", status: "True" as const }]
    fresh.pod = { ...fresh.pod, status: { phase: "Running", conditions } }
    this.version++
    this.ledger.count(fresh.pod, 1)
    this.nextOrdinals(getControllerOf(fresh.pod)?.uid ?? "")
  }

  private awaitOrdinal(predecessor: PlannedPod, ordinal: number): void {
    const set = getControllerOf(predecessor.pod)?.uid ?? ""
    if (ordinal >= this.replicasOf(predecessor)) {
      predecessor.succession = { kind: "none", why: "its StatefulSet is smaller now" }
      return
    }
    const list = this.awaited.get(set) ?? []
    this.awaited.set(
      set,
      [...list, { predecessor, ordinal }].toSorted((left, right) => left.ordinal - right.ordinal)
    )
    this.nextOrdinals(set)
  }

  /** A StatefulSet in order makes a pod when all before it are ready; any other makes all at once. */
  private nextOrdinals(set: string): void {
    const parallel =
      this.snapshot.statefulSets.find(({ metadata }) => metadata.uid === set)?.spec.podManagementPolicy === "Parallel"
    for (let next = this.awaited.get(set)?.[0]; next !== undefined; next = this.awaited.get(set)?.[0]) {
      const { ordinal, predecessor } = next
      const holdsUp = parallel ? undefined : this.unreadyBefore(predecessor, ordinal)
      if (holdsUp !== undefined) {
        const why = `its StatefulSet waits for ${nameOf(holdsUp.pod)} first`
        for (const { predecessor: waiting } of this.awaited.get(set) ?? [])
          waiting.succession = { kind: "waiting", why }
        return
      }
      this.awaited.set(set, (this.awaited.get(set) ?? []).slice(1))
      this.make(predecessor, predecessor.pod.metadata.name ?? "")
    }
  }

  private unreadyBefore(predecessor: PlannedPod, ordinal: number): PlannedPod | undefined {
    return this.familyOf(predecessor).find((other) => {
      if (other.isGone || other.healthy || isPodTerminal(other.pod)) return false
      const replacing = this.replacingOf(other.pod)
      return replacing._tag === "OnceGone" && replacing.ordinal < ordinal
    })
  }
}
