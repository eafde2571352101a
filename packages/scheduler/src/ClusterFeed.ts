import type { Node, Pod } from "@rollcall/api"
import { type InformerHandler, ignoresHeartbeats } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { AssumedPods } from "./AssumedPods.ts"
import { isRelevant } from "./cache/NodeChange.ts"
import { mayNeedDevices } from "./cache/PodDevices.ts"
import { isSameForOthers, podKey } from "./cache/PodInfo.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { ListedPods } from "./ListedPods.ts"
import type { Nominations } from "./Nominations.ts"
import type { Hint } from "./Plugin.ts"
import { type PodListener, podHandler } from "./PodEvents.ts"
import { bindingPointsOf, type Profile } from "./Profile.ts"
import { dynamicResourcesName } from "./plugins/DynamicResources.ts"
import { podChange } from "./podChange.ts"
import type { QueuedPod } from "./queue/QueuedPod.ts"
import { labelOf, type SchedulingEvent } from "./queue/SchedulingEvent.ts"
import type { SchedulingQueue } from "./queue/SchedulingQueue.ts"
import { type Profiles, schedulerNameOf } from "./SchedulerConfig.ts"

/** What a feed updates, and whom it tells. */
export interface FeedParts {
  readonly cache: SchedulingCache
  readonly queue: SchedulingQueue
  readonly nominations: Nominations
  readonly assumed: AssumedPods
  readonly profiles: Profiles
  readonly timers: Pick<TimersShape, "handleError" | "now">
  /** Called when a pod may have become active in the queue. */
  readonly onWork: () => void
  /** Called when a pod must no longer be bound: it was deleted, is terminating, or is on a node. */
  readonly onUnbindable: (key: string) => void
  /** Called for each event that may make a pod schedulable. */
  readonly onEvent: (event: SchedulingEvent) => void
  /** Called for a pod that a plugin keeps from being tried; `gated` is the number of such pods. */
  readonly onGated: (pod: Pod, plugin: string, gated: number) => void
  /** Called when such a pod may be tried, or was deleted; `gated` is the number that remains. */
  readonly onUngated: (pod: Pod, plugin: string, gated: number) => void
  /** Whether classes of devices may provide extended resources. */
  readonly extendedResourceClaims: boolean
  /** Called when a pod needs devices and those of the cluster are not known. */
  readonly onDevicesNeeded: () => void
}

const isGated = ({ spec }: Pod): boolean => (spec.schedulingGates?.length ?? 0) > 0

/**
 * Whether nothing that scheduling depends on has changed. It compares by identity: an update shares what it does not
 * change, and nearly all updates are status reports of kubelets.
 */
const isStatusReportOnly = (before: Pod, pod: Pod): boolean =>
  before.spec === pod.spec &&
  before.metadata.labels === pod.metadata.labels &&
  before.metadata.deletionTimestamp === pod.metadata.deletionTimestamp &&
  before.status?.containerStatuses?.[0]?.resources === pod.status?.containerStatuses?.[0]?.resources &&
  before.status?.resources === pod.status?.resources

const nominationOf = ({ status }: Pod): string => status?.nominatedNodeName ?? ""

/** Hints by plugin name. If several parts of a plugin have a hint, the first one counts. */
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
  /** By schedulerName and plugin. */
  private readonly hints: ReadonlyMap<string, ReadonlyMap<string, Hint>>
  /** The pods that a plugin keeps from being tried, by key. Upstream: PreEnqueue. */
  private readonly gated = new Map<string, { readonly pod: Pod; readonly plugin: string }>()
  /** The pods on nodes that were listed first. They must be placed before anything reads the cache. */
  readonly listed: ListedPods

  constructor(parts: FeedParts) {
    this.parts = parts
    this.listed = new ListedPods(parts.cache, parts.timers)
    this.hints = new Map([...parts.profiles].map(([name, { profile }]) => [name, hintsOf(profile)]))
  }

  readonly nodeHandler: InformerHandler<Node> = {
    ...ignoresHeartbeats,
    onAdd: (node) => {
      this.parts.cache.setNode(node)
      this.handleEvent({ _tag: "NodeAdded", node })
    },
    onUpdate: (before, node) => {
      const change = this.parts.cache.setNode(node)
      if (change === undefined) this.handleEvent({ _tag: "NodeAdded", node })
      else if (isRelevant(change)) this.handleEvent({ _tag: "NodeUpdated", before, node, change })
    },
    onDelete: (node) => {
      this.listed.place()
      this.parts.cache.removeNode(node.metadata.name ?? "")
      this.handleEvent({ _tag: "NodeDeleted", node })
    }
  }

  private readonly listener: PodListener = {
    pending: (pod) => {
      const { cache, nominations, onGated, onWork, profiles, queue, timers } = this.parts
      if (!profiles.has(schedulerNameOf(pod))) return
      const plugin = this.gatingPlugin(pod)
      if (plugin !== undefined) {
        const isKnown = this.gated.get(podKey(pod))?.plugin === plugin
        if (!isKnown) this.ungate(pod)
        this.gated.set(podKey(pod), { pod, plugin })
        if (!isKnown) onGated(pod, plugin, this.gated.size)
        return
      }
      this.ungate(pod)
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
        // A pod that is being deleted is not bound any more, so its resources are free at once.
        this.parts.onUnbindable(key)
        this.unassume(pod)
        return
      }
      if (queued === undefined) {
        this.listener.pending(pod)
        return
      }
      const requestsBefore = queued.info.requests
      const info = cache.describe(pod)
      queue.update(info)
      const change = podChange(before, pod, requestsBefore, info.requests)
      if (change !== undefined) {
        this.handleEvent({ _tag: "UnscheduledPodUpdated", before, pod, change }, (other) => other.info.key === key)
      }
      if (nominationOf(before) !== nominationOf(pod)) this.handleDroppedNomination(before)
      this.parts.onWork()
    },
    pendingGone: (pod) => {
      this.ungate(pod)
      this.parts.onUnbindable(podKey(pod))
      this.removeFromQueue(podKey(pod))
      if (!this.unassume(pod)) this.handleDroppedNomination(pod)
    },
    listed: (pod) => {
      this.listed.add(pod)
      this.handleEvent({ _tag: "AssignedPodAdded", pod })
    },
    settle: () => this.listed.place(),
    assigned: (pod) => {
      const { assumed, cache } = this.parts
      this.ungate(pod)
      this.parts.onUnbindable(podKey(pod))
      this.removeFromQueue(podKey(pod))
      assumed.confirm(podKey(pod))
      // The volume plugin does so for pods that it binds, but the profile of this pod may lack that plugin.
      cache.forgetVolumes(podKey(pod))
      cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
      this.handleEvent({ _tag: "AssignedPodAdded", pod })
    },
    assignedChanged: (before, pod) => this.updateAssigned(before, pod),
    assignedGone: (pod) => {
      this.removeFromQueue(podKey(pod))
      this.parts.assumed.confirm(podKey(pod))
      this.parts.cache.removePod(pod)
      this.handleEvent({ _tag: "AssignedPodDeleted", pod })
    }
  }

  readonly podHandler: InformerHandler<Pod> = podHandler(this.listener)

  /** Requeues the unschedulable pods that the event could make schedulable; only those for which `isCandidate` holds. */
  handleEvent(event: SchedulingEvent, isCandidate: (queued: QueuedPod) => boolean = () => true): void {
    const { onEvent, onWork, queue, timers } = this.parts
    onEvent(event)
    if (queue.unschedulableSize === 0) return
    this.listed.place()
    const couldHelp = (queued: QueuedPod) => {
      const hints = this.hints.get(schedulerNameOf(queued.info.pod))
      return isCandidate(queued) && queued.plugins.some((plugin) => this.hintAccepts(hints?.get(plugin), queued, event))
    }
    if (queue.requeueWhere(couldHelp, timers.now(), labelOf(event)) > 0) onWork()
  }

  /** A plugin without a hint, or whose hint throws, accepts every event. Upstream: scheduling_queue.go isPodWorthRequeuing. */
  private hintAccepts(hint: Hint | undefined, { info }: QueuedPod, event: SchedulingEvent): boolean {
    const { cache, timers } = this.parts
    try {
      return hint?.(info, event, cache) ?? true
    } catch (error) {
      timers.handleError("queueing hint", error, { pod: info.key })
      return true
    }
  }

  /** Removes an assumed pod from its node, and requeues pods that could now fit. Returns false if it was not assumed. */
  unassume(pod: Pod): boolean {
    const nodeName = this.parts.assumed.unassume(pod)
    if (nodeName === undefined) return false
    this.handleEvent({ _tag: "AssignedPodDeleted", pod: { ...pod, spec: { ...pod.spec, nodeName } } })
    return true
  }

  /**
   * Handles the loss of a nomination as the deletion of a pod: a nominated pod takes resources from pods of the same or
   * lower priority, so these may now be schedulable.
   */
  private handleDroppedNomination(pod: Pod): void {
    if (nominationOf(pod) === "") return
    const priority = pod.spec.priority ?? 0
    this.handleEvent({ _tag: "AssignedPodDeleted", pod }, ({ info }) => info.priority <= priority)
  }

  private ungate(pod: Pod): void {
    const gated = this.gated.size === 0 ? undefined : this.gated.get(podKey(pod))
    if (gated === undefined) return
    this.gated.delete(podKey(pod))
    this.parts.onUngated(pod, gated.plugin, this.gated.size)
  }

  /** The plugin that keeps a pod from being tried: it has scheduling gates, or claims that are not there. */
  private gatingPlugin(pod: Pod): string | undefined {
    if (isGated(pod)) return "SchedulingGates"
    const { cache, extendedResourceClaims, onDevicesNeeded } = this.parts
    if (!mayNeedDevices(pod, extendedResourceClaims)) return undefined
    if (this.hints.get(schedulerNameOf(pod))?.has(dynamicResourcesName) !== true) return undefined
    if (cache.devices === undefined) onDevicesNeeded()
    return cache.devices === undefined || cache.devices.gate(pod) !== undefined ? dynamicResourcesName : undefined
  }

  /** Looks again at the pods whose claims were not there; only those of a namespace, if it is given. */
  recheckClaims(namespace?: string): void {
    for (const { plugin, pod } of [...this.gated.values()]) {
      const isMeant = namespace === undefined || pod.metadata.namespace === namespace
      if (plugin === dynamicResourcesName && isMeant) this.listener.pending(pod)
    }
  }

  private removeFromQueue(key: string): void {
    this.parts.queue.delete(key)
    this.parts.nominations.withdraw(key)
  }

  /** Handles the update of a pod on a node. Most are status reports of kubelets, after which only `info.pod` changes. */
  private updateAssigned(before: Pod, pod: Pod): void {
    const { cache } = this.parts
    const placement = cache.placement(pod)
    if (placement === undefined) {
      this.listener.assigned(pod)
      return
    }
    if (isStatusReportOnly(before, pod)) {
      placement.info.pod = pod
      return
    }
    const info = cache.describe(pod)
    if (isSameForOthers(placement.info, info)) {
      placement.info.pod = pod
      return
    }
    cache.place(info, pod.spec.nodeName ?? "")
    const change = podChange(before, pod, placement.info.requests, info.requests)
    if (change !== undefined) this.handleEvent({ _tag: "AssignedPodUpdated", before, pod, change })
  }
}
