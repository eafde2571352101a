import {
  type ControllerRevision,
  type DaemonSet,
  type DaemonSetStatus,
  getControllerOf,
  isPodReady,
  keyOf,
  type Node,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
  type Release,
  requiredNodes
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { Expectations } from "../Expectations.ts"
import type { History } from "../history/History.ts"
import { labelRevision, revisionsBeyondHistory } from "../history/revisions.ts"
import { podFromTemplate } from "../podFromTemplate.ts"
import { isPodAvailable } from "../podState.ts"
import { scaledValue } from "../scaledValue.ts"
import { daemonEligibility, daemonTolerations } from "./daemonPods.ts"

export interface DaemonSetParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly history: History
  readonly daemonSets: Informer<"DaemonSet">
  readonly nodes: Informer<"Node">
  /** With an index `owner` by the UID of the controller. */
  readonly pods: Informer<"Pod">
  readonly queue: WorkQueue<string>
  /** How a pod comes to its node. */
  readonly placement: Release["daemonSetPods"]
}

/** The value of the index `owner`. */
export const daemonOwner = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "DaemonSet" ? owner.uid : undefined
}

/** Creations or deletions in one go. Upstream: BurstReplicas. */
const BURST = 250

/** The node that the pod is on or is made for. Upstream: pkg/controller/daemon/util/daemonset_util.go GetTargetNodeName. */
export const targetNodeOf = ({ spec }: Pod): string => {
  if (spec.nodeName) return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    const pin = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In")
    if (pin?.values?.[0] !== undefined) return pin.values[0]
  }
  return ""
}

/** Replaces whatever node affinity a template asks for by name: the pod is for this node. */
export const pinnedTo = (spec: PodSpec, node: string): PodSpec => {
  const pin = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }
  const { affinity = {} } = spec
  const before = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms = before.length === 0 ? [pin] : before.map((term) => ({ ...term, matchFields: pin.matchFields }))
  const nodeAffinity = {
    ...affinity.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms }
  }
  return { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: daemonTolerations(spec) }
}

const matchesNode = (spec: PodSpec, node: Node): boolean => requiredNodes(spec)?.(node) ?? true

interface Plan {
  readonly create: ReadonlyArray<string>
  readonly remove: ReadonlyArray<Pod>
}

/**
 * Keeps one pod of each DaemonSet on every node that it belongs on. Pods name their node in an affinity and the scheduler
 * places them (in early releases: are bound to it from the start); a pod on its way out keeps its node until it is gone. Upstream: pkg/controller/daemon/daemon_controller.go.
 */
export class DaemonSets {
  private readonly parts: DaemonSetParts
  private readonly expectations = new Expectations()

  constructor(parts: DaemonSetParts) {
    this.parts = parts
  }

  /** A pod has come into sight: what was asked for is there. */
  podSeen(pod: Pod): void {
    const key = daemonSetKeyOf(pod)
    if (key !== undefined) this.expectations.creationObserved(key)
  }

  readonly sync = Effect.fnUntraced(function* (this: DaemonSets, key: string) {
    const { daemonSets, history, nodes, pods } = this.parts
    const set = daemonSets.get(key)
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return
    const { collisionCount, revision: current } = yield* history.current({
      owner: set,
      template: set.spec.template,
      hashLabel: labelRevision,
      collisionCount: set.status?.collisionCount ?? 0
    })
    const revision = current.metadata.labels?.[labelRevision] ?? ""
    const own = pods.byIndex("owner", set.metadata.uid ?? "")
    const byNode = new Map<string, Array<Pod>>()
    for (const pod of own) {
      const node = targetNodeOf(pod)
      byNode.set(node, [...(byNode.get(node) ?? []), pod])
    }
    const known = nodes.list()
    if (!this.expectations.satisfied(key, this.parts.timers.now())) {
      return yield* this.report(set, known, byNode, revision, collisionCount)
    }
    const { create, remove } = this.manage(set, known, byNode)
    this.expectations.expectCreations(key, Math.min(create.length, BURST), this.parts.timers.now())
    for (const pod of remove.slice(0, BURST)) yield* this.remove(set, pod)
    for (const node of create.slice(0, BURST)) yield* this.create(set, node, revision)
    if (create.length === 0 && remove.length === 0) yield* this.update(set, known, byNode, revision)
    yield* this.report(set, known, byNode, revision, collisionCount)
    const isLive = ({ metadata: { labels } }: ControllerRevision) => {
      const hash = labels?.[labelRevision]
      return hash === revision || own.some((pod) => pod.metadata.labels?.[labelRevision] === hash)
    }
    yield* history.remove(revisionsBeyondHistory(history.of(set), isLive, set.spec.revisionHistoryLimit))
    if (create.length > BURST || remove.length > BURST) this.parts.queue.add(key)
  })

  /** Which pods are missing, and which are where they do not belong. */
  private manage(set: DaemonSet, nodes: ReadonlyArray<Node>, byNode: ReadonlyMap<string, ReadonlyArray<Pod>>): Plan {
    const create: Array<string> = []
    const remove: Array<Pod> = []
    const names = new Set<string>()
    for (const node of nodes) {
      const name = node.metadata.name ?? ""
      names.add(name)
      const there = byNode.get(name) ?? []
      const { shouldContinueRunning, shouldRun } = daemonEligibility(set, node, matchesNode)
      const finished = there.filter(({ metadata, status }) => {
        const over = status?.phase === "Failed" || status?.phase === "Succeeded"
        return over && metadata.deletionTimestamp === undefined
      })
      const [, ...doubles] = there
        .filter((pod) => pod.metadata.deletionTimestamp === undefined && !finished.includes(pod))
        .toSorted((left, right) =>
          (left.metadata.creationTimestamp ?? "").localeCompare(right.metadata.creationTimestamp ?? "")
        )
      if (shouldRun && there.length === 0) create.push(name)
      else if (!shouldContinueRunning)
        remove.push(...there.filter((pod) => pod.metadata.deletionTimestamp === undefined))
      else remove.push(...finished, ...doubles)
      for (const pod of finished) this.tellFinished(set, pod, name)
    }
    for (const [name, stranded] of byNode) {
      if (names.has(name)) continue
      remove.push(
        ...stranded.filter((pod) => pod.metadata.deletionTimestamp === undefined && pod.spec.nodeName === undefined)
      )
    }
    return { create, remove }
  }

  private tellFinished(set: DaemonSet, pod: Pod, node: string): void {
    const { name, namespace } = pod.metadata
    const failed = pod.status?.phase === "Failed"
    const text = `Found ${failed ? "failed" : "succeeded"} daemon pod ${namespace}/${name} on node ${node}, will try to ${failed ? "kill" : "delete"} it`
    const reason = failed ? "FailedDaemonPod" : "SucceededDaemonPod"
    this.parts.recorder.event(set, failed ? "Warning" : "Normal", reason, text)
  }

  /** Replaces pods of older templates, as many at a time as may be unavailable. */
  private readonly update = Effect.fnUntraced(function* (
    this: DaemonSets,
    set: DaemonSet,
    nodes: ReadonlyArray<Node>,
    byNode: ReadonlyMap<string, ReadonlyArray<Pod>>,
    revision: string
  ) {
    const { rollingUpdate, type } = set.spec.updateStrategy ?? {}
    if (type === "OnDelete") return
    const now = this.parts.timers.now()
    const minReadySeconds = set.spec.minReadySeconds ?? 0
    const desired = nodes.filter((node) => daemonEligibility(set, node, matchesNode).shouldRun).length
    const maxUnavailable = Math.max(1, scaledValue(rollingUpdate?.maxUnavailable ?? 1, desired, Math.ceil))
    let unavailable = 0
    const stale: Array<Pod> = []
    for (const pods of byNode.values()) {
      const [pod] = pods
      if (pod === undefined) continue
      const isAvailable = pod.metadata.deletionTimestamp === undefined && isPodAvailable(pod, minReadySeconds, now)
      const isStale = pod.metadata.labels?.[labelRevision] !== revision && pod.metadata.deletionTimestamp === undefined
      if (!isAvailable) unavailable++
      if (isStale && !isAvailable) yield* this.remove(set, pod)
      else if (isStale) stale.push(pod)
    }
    for (const pod of stale.slice(0, Math.max(0, maxUnavailable - unavailable))) yield* this.remove(set, pod)
  })

  private create(set: DaemonSet, node: string, revision: string): Effect.Effect<void, ClusterError> {
    const { cluster, placement, recorder } = this.parts
    const { template } = set.spec
    const labels = {
      ...template.metadata?.labels,
      [labelRevision]: revision,
      "pod-template-generation": String(set.metadata.generation ?? 1)
    }
    const pinned: PodTemplateSpec = {
      metadata: { ...template.metadata, labels },
      spec: placement === "scheduled" ? pinnedTo(template.spec, node) : { ...template.spec, nodeName: node }
    }
    return cluster.create("Pod", podFromTemplate(set, pinned)).pipe(
      Effect.tap(({ metadata }) =>
        Effect.sync(() => recorder.event(set, "Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`))
      ),
      Effect.tapError(({ message }) =>
        Effect.sync(() => {
          // Nothing of this round is waited for: the set is tried again as a whole.
          this.expectations.forget(keyOf(set))
          recorder.event(set, "Warning", "FailedCreate", `Error creating: ${message}`)
        })
      ),
      Effect.asVoid
    )
  }

  private remove(set: DaemonSet, { metadata }: Pod): Effect.Effect<void, ClusterError> {
    const { name = "", namespace = "" } = metadata
    return this.parts.cluster.delete("Pod", { namespace, name }).pipe(
      Effect.tap(() =>
        Effect.sync(() => this.parts.recorder.event(set, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`))
      ),
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.asVoid
    )
  }

  private report(
    set: DaemonSet,
    nodes: ReadonlyArray<Node>,
    byNode: ReadonlyMap<string, ReadonlyArray<Pod>>,
    revision: string,
    collisionCount: number
  ): Effect.Effect<void, ClusterError> {
    const now = this.parts.timers.now()
    const count = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 }
    for (const node of nodes) {
      const [pod] = byNode.get(node.metadata.name ?? "") ?? []
      if (!daemonEligibility(set, node, matchesNode).shouldRun) {
        if (pod !== undefined) count.misscheduled++
        continue
      }
      count.desired++
      if (pod === undefined) continue
      count.current++
      if (pod.metadata.labels?.[labelRevision] === revision) count.updated++
      if (!isPodReady(pod)) continue
      count.ready++
      if (isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)) count.available++
    }
    const { conditions } = set.status ?? {}
    const unavailable = count.desired - count.available
    const status: DaemonSetStatus = {
      currentNumberScheduled: count.current,
      numberMisscheduled: count.misscheduled,
      desiredNumberScheduled: count.desired,
      numberReady: count.ready,
      observedGeneration: set.metadata.generation ?? 0,
      ...(count.updated === 0 ? {} : { updatedNumberScheduled: count.updated }),
      ...(count.available === 0 ? {} : { numberAvailable: count.available }),
      ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
      ...(collisionCount === 0 ? {} : { collisionCount }),
      ...(conditions === undefined ? {} : { conditions })
    }
    if (isSameStatus(set.status, status)) return Effect.void
    return Effect.asVoid(this.parts.cluster.updateStatus("DaemonSet", { ...set, status }))
  }
}

const isSameStatus = (before: DaemonSetStatus | undefined, after: DaemonSetStatus): boolean =>
  before !== undefined &&
  before.currentNumberScheduled === after.currentNumberScheduled &&
  before.numberMisscheduled === after.numberMisscheduled &&
  before.desiredNumberScheduled === after.desiredNumberScheduled &&
  before.numberReady === after.numberReady &&
  before.observedGeneration === after.observedGeneration &&
  before.updatedNumberScheduled === after.updatedNumberScheduled &&
  before.numberAvailable === after.numberAvailable &&
  before.numberUnavailable === after.numberUnavailable &&
  before.collisionCount === after.collisionCount

/** The key of the set that a pod belongs to. */
export const daemonSetKeyOf = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "DaemonSet" ? keyOf({ metadata: { ...pod.metadata, name: owner.name } }) : undefined
}
