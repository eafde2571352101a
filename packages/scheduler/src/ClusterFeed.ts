import type { Node, Pod } from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { AssumedPods } from "./AssumedPods.ts"
import { isRelevant } from "./cache/NodeChange.ts"
import type { PodDemand } from "./cache/PodDemand.ts"
import { isAlike, podKey } from "./cache/PodInfo.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Nominations } from "./Nominations.ts"
import type { Hint } from "./Plugin.ts"
import { type PodListener, podHandler } from "./PodEvents.ts"
import { bindingPointsOf, type Profile } from "./Profile.ts"
import type { QueuedPod } from "./queue/QueuedPod.ts"
import { labelOf, type PodChange, type SchedulingEvent } from "./queue/SchedulingEvent.ts"
import type { SchedulingQueue } from "./queue/SchedulingQueue.ts"
import { type Profiles, schedulerNameOf } from "./SchedulerConfig.ts"

export interface FeedParts {
  readonly cache: SchedulingCache
  readonly queue: SchedulingQueue
  readonly nominations: Nominations
  readonly assumed: AssumedPods
  readonly profiles: Profiles
  readonly timers: Pick<TimersShape, "handleError" | "now">
  /** A pod may have become ready for a cycle. */
  readonly onWork: () => void
  /** A pod must not be bound any more: it was deleted, is terminating, or is on a node. */
  readonly onLeft: (key: string) => void
  /** Called for each event that may make a pod schedulable. */
  readonly onEvent: (event: SchedulingEvent) => void
  /** A pod has scheduling gates; `gated`: the number of such pods. */
  readonly onGated: (pod: Pod, gated: number) => void
  /** A pod has lost its gates, or was deleted; `gated`: the number that remains. */
  readonly onOpened: (pod: Pod, gated: number) => void
}

const sameText = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)

const isGated = ({ spec }: Pod): boolean => (spec.schedulingGates?.length ?? 0) > 0

/** Whether only the status that a kubelet reports can have changed. */
const isOnlyReport = (before: Pod, pod: Pod): boolean =>
  before.spec === pod.spec &&
  before.metadata.labels === pod.metadata.labels &&
  before.metadata.deletionTimestamp === pod.metadata.deletionTimestamp &&
  before.status?.containerStatuses?.[0]?.resources === pod.status?.containerStatuses?.[0]?.resources &&
  before.status?.resources === pod.status?.resources

const nominationOf = ({ status }: Pod): string => status?.nominatedNodeName ?? ""

const amountsOf = ({ scalars }: PodDemand): ReadonlyMap<number, number> =>
  new Map(scalars.map(({ amount, slot }) => [slot, amount]))

const scaledDown = (before: PodDemand, after: PodDemand): boolean => {
  if (before === after) return false
  if (after.cpu < before.cpu || after.memory < before.memory || after.ephemeral < before.ephemeral) return true
  const amounts = amountsOf(after)
  return before.scalars.some(({ amount, slot }) => (amounts.get(slot) ?? 0) < amount)
}

/**
 * The change of a pod that could make any pod schedulable; undefined if none. Upstream: framework/events.go
 * PodSchedulingPropertiesChange.
 */
const podChange = (before: Pod, pod: Pod, asked: PodDemand, asks: PodDemand): PodChange | undefined => {
  const change = {
    scaledDown: scaledDown(asked, asks),
    relabelled: !sameText(before.metadata.labels, pod.metadata.labels),
    tolerates: (before.spec.tolerations?.length ?? 0) !== (pod.spec.tolerations?.length ?? 0)
  }
  return change.scaledDown || change.relabelled || change.tolerates ? change : undefined
}

/** By plugin; of a plugin with several objects the first hint. */
const hintsOf = (profile: Profile): ReadonlyMap<string, Hint> => {
  const { permit = [], reserve = [] } = bindingPointsOf(profile) ?? {}
  const hints = new Map<string, Hint>()
  for (const { hint, name } of [...profile.filters, ...reserve, ...permit]) {
    if (hint !== undefined && !hints.has(name)) hints.set(name, hint)
  }
  return hints
}

/**
 * Updates the cache and the queue from informer events of nodes and pods, and requeues the pods that an event could
 * make schedulable. Upstream: pkg/scheduler/eventhandlers.go.
 */
export class ClusterFeed {
  private readonly parts: FeedParts
  /** By profile and plugin. */
  private readonly hints: ReadonlyMap<string, ReadonlyMap<string, Hint>>
  private readonly gated = new Set<string>()

  constructor(parts: FeedParts) {
    this.parts = parts
    this.hints = new Map([...parts.profiles].map(([name, { profile }]) => [name, hintsOf(profile)]))
  }

  readonly nodeHandler: InformerHandler<Node> = {
    onAdd: (node) => {
      this.parts.cache.setNode(node)
      this.tell({ _tag: "NodeAdded", node })
    },
    onUpdate: (before, node) => {
      const change = this.parts.cache.setNode(node)
      if (change === undefined) this.tell({ _tag: "NodeAdded", node })
      else if (isRelevant(change)) this.tell({ _tag: "NodeUpdated", before, node, change })
    },
    onDelete: (node) => {
      this.parts.cache.removeNode(node.metadata.name ?? "")
      this.tell({ _tag: "NodeDeleted", node })
    }
  }

  private readonly listener: PodListener = {
    pending: (pod) => {
      const { cache, nominations, onGated, onWork, profiles, queue, timers } = this.parts
      if (!profiles.has(schedulerNameOf(pod))) return
      if (isGated(pod)) {
        this.gated.add(podKey(pod))
        onGated(pod, this.gated.size)
        return
      }
      this.open(pod)
      const info = cache.describe(pod)
      const nominated = pod.status?.nominatedNodeName ?? ""
      if (nominated !== "") nominations.nominate(info, nominated)
      queue.add(info, timers.now())
      onWork()
    },
    pendingChanged: (before, pod) => {
      const { assumed, cache, queue } = this.parts
      const key = podKey(pod)
      const queued = queue.find(key)
      if (assumed.has(key)) {
        if (queued !== undefined) queue.update(cache.describe(pod))
        if (pod.metadata.deletionTimestamp === undefined) return
        // It will not be bound: its reservation is released at once.
        this.parts.onLeft(key)
        this.unassume(pod)
        return
      }
      if (queued === undefined) {
        this.listener.pending(pod)
        return
      }
      const asked = queued.info.requests
      const info = cache.describe(pod)
      queue.update(info)
      const change = podChange(before, pod, asked, info.requests)
      if (change !== undefined) {
        this.tell({ _tag: "UnscheduledPodUpdated", before, pod, change }, (other) => other.info.key === key)
      }
      if (nominationOf(before) !== nominationOf(pod)) this.tellDroppedNomination(before)
      this.parts.onWork()
    },
    pendingGone: (pod) => {
      this.open(pod)
      this.parts.onLeft(podKey(pod))
      this.leave(podKey(pod))
      if (!this.unassume(pod)) this.tellDroppedNomination(pod)
    },
    placed: (pod) => {
      const { assumed, cache } = this.parts
      this.open(pod)
      this.parts.onLeft(podKey(pod))
      this.leave(podKey(pod))
      assumed.confirm(podKey(pod))
      // Its profile may lack the plugin that would release them.
      cache.forgetVolumes(podKey(pod))
      cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
      this.tell({ _tag: "AssignedPodAdded", pod })
    },
    placedChanged: (before, pod) => this.refresh(before, pod),
    placedGone: (pod) => {
      this.leave(podKey(pod))
      this.parts.assumed.confirm(podKey(pod))
      this.parts.cache.remove(podKey(pod))
      this.tell({ _tag: "AssignedPodDeleted", pod })
    }
  }

  readonly podHandler: InformerHandler<Pod> = podHandler(this.listener)

  /** Requeues those of the queued pods that the event could make schedulable. */
  tell(event: SchedulingEvent, among: (queued: QueuedPod) => boolean = () => true): void {
    const { onEvent, onWork, queue, timers } = this.parts
    onEvent(event)
    if (queue.unschedulableSize === 0) return
    const helps = (queued: QueuedPod) => {
      const hints = this.hints.get(schedulerNameOf(queued.info.pod))
      return among(queued) && queued.plugins.some((plugin) => this.isHelp(hints?.get(plugin), queued, event))
    }
    if (queue.requeueWhere(helps, timers.now(), labelOf(event)) > 0) onWork()
  }

  /** If a hint throws, the pod is requeued. Upstream: backend/queue/scheduling_queue.go isPodWorthRequeuing. */
  private isHelp(hint: Hint | undefined, { info }: QueuedPod, event: SchedulingEvent): boolean {
    const { cache, timers } = this.parts
    try {
      return hint?.(info, event, cache) ?? true
    } catch (error) {
      timers.handleError("queueing hint", error, { pod: info.key })
      return true
    }
  }

  /** Removes an assumed pod from its node; false if it was on none. */
  unassume(pod: Pod): boolean {
    const nodeName = this.parts.assumed.unassume(pod)
    if (nodeName === undefined) return false
    this.tell({ _tag: "AssignedPodDeleted", pod: { ...pod, spec: { ...pod.spec, nodeName } } })
    return true
  }

  /** A nomination counts for pods of the same or lower priority: when it is dropped, those may be schedulable. */
  private tellDroppedNomination(pod: Pod): void {
    if (nominationOf(pod) === "") return
    const priority = pod.spec.priority ?? 0
    this.tell({ _tag: "AssignedPodDeleted", pod }, ({ info }) => info.priority <= priority)
  }

  private open(pod: Pod): void {
    if (this.gated.size > 0 && this.gated.delete(podKey(pod))) this.parts.onOpened(pod, this.gated.size)
  }

  private leave(key: string): void {
    this.parts.queue.delete(key)
    this.parts.nominations.withdraw(key)
  }

  /** A kubelet's status reports about a running pod change nothing here; its labels, requests and termination do. */
  private refresh(before: Pod, pod: Pod): void {
    const { cache } = this.parts
    const known = cache.placement(pod)
    if (known === undefined) {
      this.listener.placed(pod)
      return
    }
    if (isOnlyReport(before, pod)) {
      known.info.pod = pod
      return
    }
    const info = cache.describe(pod)
    if (isAlike(known.info, info)) {
      known.info.pod = pod
      return
    }
    cache.place(info, pod.spec.nodeName ?? "")
    const change = podChange(before, pod, known.info.requests, info.requests)
    if (change !== undefined) this.tell({ _tag: "AssignedPodUpdated", before, pod, change })
  }
}
