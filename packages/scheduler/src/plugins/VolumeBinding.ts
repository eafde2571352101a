import type { PreBindPlugin, ReservePlugin } from "../BindingPlugin.ts"
import type { PodInfo } from "../cache/CacheRecords.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import { bindVolumes } from "../volumes/bindVolumes.ts"
import { type Conflict, conflicts, findVolumes, isConflict } from "../volumes/findVolumes.ts"
import { podClaimsByState } from "../volumes/podClaims.ts"
import { volumeLimit } from "../volumes/provisioning.ts"
import { mountsClaim, unresolvable } from "./claims.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "VolumeBinding"
const SECOND_MS = 1000

/** The arguments of the plugin. Upstream: VolumeBindingArgs. */
export interface VolumeBindingArgs {
  /** How long a pod waits for its claims to be bound before it is retried. */
  readonly bindTimeoutSeconds: number
}

export const defaultVolumeBindingArgs: VolumeBindingArgs = { bindTimeoutSeconds: 600 }

/** Returns a function that makes the rejection for each combination of conflicts once. */
const makeRejections = (): ((found: ReadonlyArray<Conflict>) => Rejection) => {
  const rejections = new Map<string, Rejection>()
  return (found) => {
    const key = found.join()
    const known = rejections.get(key)
    if (known !== undefined) return known
    const reasons = found.map((conflict) => conflicts[conflict])
    const rejection: Rejection = { code: "UnschedulableAndUnresolvable", plugin: name, reasons }
    rejections.set(key, rejection)
    return rejection
  }
}

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins"

/** Whether an event could help a pod that its volumes keep off the nodes. Upstream: volumebinding EventsToRegister. */
const hint = (pod: PodInfo, event: SchedulingEvent): boolean => {
  switch (event._tag) {
    case "NodeAdded":
    case "VolumeChanged":
      return true
    case "NodeUpdated":
      return event.change.labels
    case "ClaimChanged":
      return mountsClaim(pod, event.claim)
    case "StorageClassChanged": {
      const { before, storageClass } = event
      if (before === undefined) return true
      return JSON.stringify(before.allowedTopologies ?? []) !== JSON.stringify(storageClass.allowedTopologies ?? [])
    }
    case "CSINodeChanged": {
      const { before, csiNode } = event
      if (before === undefined) return true
      return before.metadata.annotations?.[migratedPlugins] !== csiNode.metadata.annotations?.[migratedPlugins]
    }
    case "CSIDriverUpdated": {
      const { before, driver } = event
      if (before.spec.storageCapacity !== true || driver.spec.storageCapacity === true) return false
      return pod.pod.spec.volumes?.some(({ csi }) => csi?.driver === driver.metadata.name) === true
    }
    case "StorageCapacityChanged": {
      if (event.before === undefined) return true
      const limit = volumeLimit(event.capacity)
      return limit !== undefined && limit > (volumeLimit(event.before) ?? -1)
    }
    default:
      return false
  }
}

/** The plugin with custom arguments. Upstream: pkg/scheduler/framework/plugins/volumebinding. */
export const volumeBindingWith = ({ bindTimeoutSeconds }: VolumeBindingArgs): VolumeBinding => ({
  name,
  hint: orTaintChange(hint),
  prepare: (pod, { volumes }) => {
    if (pod.volumes === undefined || volumes.isEmpty) return skip
    const claims = podClaimsByState(pod, volumes)
    if ("fault" in claims) return { _tag: "Reject", rejection: unresolvable(name, claims.fault) }
    if (claims.bound.length + claims.delayed.length === 0) return skip
    const find = findVolumes(claims, volumes)
    const rejectionFor = makeRejections()
    return {
      _tag: "Check",
      check: ({ node }) => {
        if (node === undefined) return rejectionFor(["bindConflict"])
        const found = find(node)
        return isConflict(found) ? rejectionFor(found) : undefined
      }
    }
  },
  reserve: (pod, nodeName, cache) => {
    const node = cache.node(nodeName)?.node
    if (pod.volumes === undefined || node === undefined || cache.volumes.isEmpty) return undefined
    const claims = podClaimsByState(pod, cache.volumes)
    if ("fault" in claims || claims.delayed.length === 0) return undefined
    const found = findVolumes(claims, cache.volumes)(node)
    if (!isConflict(found)) cache.assumeVolumes(pod.key, nodeName, found)
    return undefined
  },
  unreserve: (pod, _, cache) => cache.forgetVolumes(pod.key),
  concerns: (pod, _, { volumes }) => volumes.assumed.of(pod.key) !== undefined,
  preBind: (task) => {
    const { cache, pod } = task
    const assumption = cache.volumes.assumed.of(pod.key)
    if (assumption === undefined) {
      task.done()
      return undefined
    }
    const done = (problem?: string) => {
      if (problem === undefined) cache.forgetVolumes(pod.key)
      task.done(problem)
    }
    return bindVolumes({ ...task, done }, assumption.plan, bindTimeoutSeconds * SECOND_MS)
  }
})

/** The extension points that VolumeBinding implements. */
export type VolumeBinding = FilterPlugin & ReservePlugin & PreBindPlugin

/**
 * Schedules pods on nodes from which their volumes are, or can be made, accessible. Claims of classes with
 * WaitForFirstConsumer get an existing volume, the smallest that suffices, or a node for which one is provisioned,
 * once the pod's node is selected; the pod is bound when its claims are.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: VolumeBinding = volumeBindingWith(defaultVolumeBindingArgs)
