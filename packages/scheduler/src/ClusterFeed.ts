import type { Node, Pod } from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"
import type { AssumedPods } from "./AssumedPods.ts"
import { isRelevant } from "./cache/NodeChange.ts"
import { isAlike, podKey } from "./cache/PodInfo.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin } from "./Plugin.ts"
import { type PodListener, podHandler } from "./PodEvents.ts"
import { volumeBinding } from "./plugins/VolumeBinding.ts"
import type { QueuedPod } from "./queue/QueuedPod.ts"
import { labelOf, type SchedulingEvent } from "./queue/SchedulingEvent.ts"
import type { SchedulingQueue } from "./queue/SchedulingQueue.ts"

export interface FeedParts {
  readonly cache: SchedulingCache
  readonly queue: SchedulingQueue
  readonly nominations: Nominations
  readonly assumed: AssumedPods
  readonly filters: ReadonlyArray<FilterPlugin>
  readonly schedulerName: string
  readonly now: () => number
  /** Some pod may have become ready to be tried. */
  readonly onWork: () => void
  /** A pod may not be scheduled yet, one of so many. */
  readonly onGated: (pod: Pod, gated: number) => void
  /** One may be now, or is no more; so many are left. */
  readonly onOpened: (gated: number) => void
}

const sameText = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)

const isGated = ({ spec }: Pod): boolean => (spec.schedulingGates?.length ?? 0) > 0

/** True when a kubelet's report is all that can have changed. */
const isOnlyReport = (before: Pod, pod: Pod): boolean =>
  before.spec === pod.spec &&
  before.metadata.labels === pod.metadata.labels &&
  before.metadata.deletionTimestamp === pod.metadata.deletionTimestamp &&
  before.status?.containerStatuses?.[0]?.resources === pod.status?.containerStatuses?.[0]?.resources

/**
 * Takes what informers see of nodes and pods into the cache and the queue, and lets those waiting pods try again that an
 * event could help. Upstream: pkg/scheduler/eventhandlers.go.
 */
export class ClusterFeed {
  private readonly parts: FeedParts
  private readonly hints: ReadonlyMap<string, FilterPlugin["hint"]>
  private readonly gated = new Set<string>()

  constructor(parts: FeedParts) {
    this.parts = parts
    this.hints = new Map(parts.filters.map(({ hint, name }) => [name, hint]))
  }

  readonly nodeHandler: InformerHandler<Node> = {
    onAdd: (node) => {
      this.parts.cache.setNode(node)
      this.tell({ _tag: "NodeAdded", node })
    },
    onUpdate: (before, node) => {
      const change = this.parts.cache.setNode(node)
      if (change !== undefined && isRelevant(change)) this.tell({ _tag: "NodeUpdated", before, node, change })
    },
    onDelete: (node) => {
      this.parts.cache.removeNode(node.metadata.name ?? "")
      this.tell({ _tag: "NodeGone", node })
    }
  }

  private readonly listener: PodListener = {
    pending: (pod) => {
      const { cache, nominations, now, onGated, onWork, queue, schedulerName } = this.parts
      if ((pod.spec.schedulerName ?? "default-scheduler") !== schedulerName) return
      if (isGated(pod)) {
        this.gated.add(podKey(pod))
        onGated(pod, this.gated.size)
        return
      }
      this.open(pod)
      const info = cache.describe(pod)
      const promised = pod.status?.nominatedNodeName ?? ""
      if (promised !== "") nominations.nominate(info, promised)
      queue.add(info, now())
      onWork()
    },
    pendingChanged: (before, pod) => {
      const { assumed, cache, now, onWork, queue } = this.parts
      const key = podKey(pod)
      if (assumed.has(key)) return
      if (queue.find(key) === undefined) {
        this.listener.pending(pod)
        return
      }
      const mayHelp =
        !sameText(before.spec, pod.spec) ||
        !sameText(before.metadata.labels, pod.metadata.labels) ||
        !sameText(before.metadata.annotations, pod.metadata.annotations)
      queue.update(cache.describe(pod), mayHelp, now())
      onWork()
    },
    pendingGone: (pod) => {
      this.open(pod)
      this.leave(podKey(pod))
      if (this.parts.assumed.takeBack(podKey(pod))) this.tell({ _tag: "PodGone", pod })
    },
    placed: (pod) => {
      const { assumed, cache } = this.parts
      this.open(pod)
      this.leave(podKey(pod))
      assumed.confirm(podKey(pod))
      cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
      this.tell({ _tag: "PodPlaced", pod })
    },
    placedChanged: (before, pod) => this.refresh(before, pod),
    placedGone: (pod) => {
      this.leave(podKey(pod))
      this.parts.assumed.confirm(podKey(pod))
      this.parts.cache.remove(podKey(pod))
      this.tell({ _tag: "PodGone", pod })
    }
  }

  readonly podHandler: InformerHandler<Pod> = podHandler(this.listener)

  /** Lets those pods try again that the event could help. */
  tell(event: SchedulingEvent): void {
    const { cache, now, onWork, queue } = this.parts
    if (queue.unschedulableSize === 0) return
    const helps = ({ info, plugins }: QueuedPod) =>
      plugins.some((plugin) => this.hints.get(plugin)?.(info, event, cache) ?? true)
    if (queue.releaseWhere(helps, now(), labelOf(event)) > 0) onWork()
  }

  /** A volume or a claim has changed: lets those pods try again that one of them kept waiting. */
  tellVolumes(label: string): void {
    const { now, onWork, queue } = this.parts
    if (queue.unschedulableSize === 0) return
    if (queue.releaseWhere(({ plugins }) => plugins.includes(volumeBinding.name), now(), label) > 0) onWork()
  }

  private open(pod: Pod): void {
    if (this.gated.size > 0 && this.gated.delete(podKey(pod))) this.parts.onOpened(this.gated.size)
  }

  private leave(key: string): void {
    this.parts.queue.delete(key)
    this.parts.nominations.withdraw(key)
  }

  /** A kubelet's reports about a running pod change nothing here; its labels, requests and end do. */
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
    const { cpu, memory } = known.info.requests
    const scaledDown = info.requests.cpu < cpu || info.requests.memory < memory
    const relabelled = info.podClass.key !== known.info.podClass.key
    const isLeaving = info.terminating && !known.info.terminating
    if (scaledDown || relabelled || isLeaving) this.tell({ _tag: "PodUpdated", before, pod, scaledDown })
  }
}
