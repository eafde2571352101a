import { isPodReady, matchesLabelSelector, type Pod, type ReplicaSet } from "@rollcall/api"
import { isPodActive, isPodAvailable, isPodTerminating } from "../podState.ts"
import type { ReplicaCounts } from "./status.ts"

/** A pod, and what it counts as. */
interface Entry {
  pod: Pod
  active: boolean
  terminating: boolean
  ready: boolean
  /** Whether its labels match the set's selector, and include those of its template. */
  selected: boolean
  labeled: boolean
}

/** How the labels of a pod match a set. */
interface LabelMatch {
  readonly labels: Pod["metadata"]["labels"]
  readonly replicaSet: ReplicaSet | undefined
  readonly selected: boolean
  readonly labeled: boolean
}

/**
 * The pods of a set, with counts that each change of a pod updates: so a change costs the same for five pods and for
 * five thousand.
 */
export class ReplicaTally {
  private readonly entries = new Map<string, Entry>()
  private replicaSet: ReplicaSet | undefined
  private active = 0
  private terminating = 0
  private ready = 0
  private labeled = 0
  /** Active pods that the selector does not match. */
  private strays = 0
  private lastMatch: LabelMatch | undefined

  get size(): number {
    return this.entries.size
  }

  /** Whether some active pod no longer matches the selector and must be released. */
  get hasStrays(): boolean {
    return this.strays > 0
  }

  /**
   * Sets the current version of the set. If its selector or template labels have changed, all pods are counted again.
   */
  setReplicaSet(replicaSet: ReplicaSet): void {
    const before = this.replicaSet
    this.replicaSet = replicaSet
    if (
      before !== undefined &&
      before.spec.selector === replicaSet.spec.selector &&
      before.spec.template?.metadata?.labels === replicaSet.spec.template?.metadata?.labels
    ) {
      return
    }
    for (const entry of this.entries.values()) {
      this.count(entry, -1)
      this.updateLabels(entry)
      this.count(entry, 1)
    }
  }

  set(key: string, pod: Pod): void {
    const entry = this.entries.get(key)
    if (entry === undefined) {
      const added = { pod, active: false, terminating: false, ready: false, selected: true, labeled: true }
      this.entries.set(key, added)
      this.updateState(added)
      this.updateLabels(added)
      this.count(added, 1)
      return
    }
    this.count(entry, -1)
    const sameLabels = entry.pod.metadata.labels === pod.metadata.labels
    entry.pod = pod
    this.updateState(entry)
    if (!sameLabels) this.updateLabels(entry)
    this.count(entry, 1)
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.count(entry, -1)
    this.entries.delete(key)
  }

  /** Active pods that match the selector. */
  activePods(): ReadonlyArray<Pod> {
    const pods: Array<Pod> = []
    for (const { active, pod, selected } of this.entries.values()) if (active && selected) pods.push(pod)
    return pods
  }

  /** Active pods that do not match it. */
  strayPods(): ReadonlyArray<Pod> {
    const pods: Array<Pod> = []
    for (const { active, pod, selected } of this.entries.values()) if (active && !selected) pods.push(pod)
    return pods
  }

  counts(nowMs: number): ReplicaCounts {
    const minReadySeconds = this.replicaSet?.spec.minReadySeconds ?? 0
    const { active, labeled: fullyLabeled, ready, terminating } = this
    let available = ready
    if (minReadySeconds > 0) {
      available = 0
      for (const pod of this.activePods()) if (isPodAvailable(pod, minReadySeconds, nowMs)) available++
    }
    return { active, fullyLabeled, ready, available, terminating }
  }

  private updateState(entry: Entry): void {
    entry.active = isPodActive(entry.pod)
    entry.terminating = isPodTerminating(entry.pod)
    entry.ready = isPodReady(entry.pod)
  }

  /** Pods of one template mostly share their labels, so that those of the pod before say how this one's match. */
  private updateLabels(entry: Entry): void {
    const { labels } = entry.pod.metadata
    const { replicaSet } = this
    const last = this.lastMatch
    if (last === undefined || last.labels !== labels || last.replicaSet !== replicaSet) {
      const templateLabels = Object.entries(replicaSet?.spec.template?.metadata?.labels ?? {})
      this.lastMatch = {
        labels,
        replicaSet,
        selected: replicaSet === undefined || matchesLabelSelector(replicaSet.spec.selector, labels),
        labeled: templateLabels.every(([name, value]) => labels?.[name] === value)
      }
    }
    const { labeled, selected } = this.lastMatch as LabelMatch
    entry.selected = selected
    entry.labeled = labeled
  }

  /** Adds an entry to the counts, or removes it from them. */
  private count({ active, labeled, ready, selected, terminating }: Entry, sign: 1 | -1): void {
    if (!selected) {
      if (active) this.strays += sign
      return
    }
    if (terminating) this.terminating += sign
    if (!active) return
    this.active += sign
    if (ready) this.ready += sign
    if (labeled) this.labeled += sign
  }
}
