import type { PreBindPlugin, ReservePlugin } from "../BindingPlugin.ts"
import type { PodInfo } from "../cache/CacheRecords.ts"
import { type DeviceLimits, needsDevices, type PodDevices } from "../cache/PodDevices.ts"
import { type FilterPlugin, type Prepared, type Rejection, type ScorePlugin, skip } from "../Plugin.ts"
import { unresolvable } from "./claims.ts"
import { orTaintChange } from "./orTaintChange.ts"

export const dynamicResourcesName = "DynamicResources"
const SECOND_MS = 1000

/** The arguments of the plugin. Upstream: DynamicResourcesArgs. */
export interface DynamicResourcesArgs {
  /** How long devices have to become ready before their claim is deallocated. */
  readonly bindingTimeoutSeconds: number
  /** How long the search for devices on one node may take; 0 means without such a limit. Without time, as in a rehearsal, it has no effect. */
  readonly filterTimeoutSeconds: number
}

export const defaultDynamicResourcesArgs: DynamicResourcesArgs = {
  bindingTimeoutSeconds: 600,
  filterTimeoutSeconds: 10
}

/** Prepares the filter for a pod that uses claims. Without the devices, which gate such pods until they are known, nothing fits. */
const prepare = (pod: PodInfo, devices: PodDevices | undefined, limits: DeviceLimits): Prepared => {
  const prepared = devices === undefined ? "the devices of the cluster are not known yet" : devices.prepare(pod, limits)
  if (prepared === undefined) return skip
  if (typeof prepared === "string") return { _tag: "Reject", rejection: unresolvable(dynamicResourcesName, prepared) }
  const rejections = new Map<string, Rejection>()
  const rejectionFor = (reason: string): Rejection => {
    const rejection = rejections.get(reason) ?? unresolvable(dynamicResourcesName, reason)
    rejections.set(reason, rejection)
    return rejection
  }
  return {
    _tag: "Check",
    check: (node) => {
      const reason = node.node === undefined ? undefined : prepared(node)
      return reason === undefined ? undefined : rejectionFor(reason)
    }
  }
}

/** The extension points that DynamicResources implements. */
export type DynamicResources = FilterPlugin & ReservePlugin & PreBindPlugin

/** The plugin with custom arguments. */
export const dynamicResourcesWith = ({
  bindingTimeoutSeconds,
  filterTimeoutSeconds
}: DynamicResourcesArgs): DynamicResources => ({
  name: dynamicResourcesName,
  hint: orTaintChange(({ pod }, event, { devices }) => devices?.hint(pod, event) ?? false),
  prepare: (pod, { devices }) =>
    needsDevices(pod, devices)
      ? prepare(pod, devices, {
          bindingTimeoutMs: bindingTimeoutSeconds * SECOND_MS,
          filterTimeoutMs: filterTimeoutSeconds * SECOND_MS
        })
      : skip,
  reserve: (pod, node, cache) => {
    const message = needsDevices(pod, cache.devices) ? cache.devices?.reserve(pod, cache.node(node)) : undefined
    return message === undefined ? undefined : { _tag: "Error", message }
  },
  unreserve: (pod, _, { devices }) => {
    if (needsDevices(pod, devices)) devices?.unreserve(pod.pod)
  },
  concerns: (pod, _, { devices }) => needsDevices(pod, devices),
  preBind: (task) => task.cache.devices?.preBind(task, bindingTimeoutSeconds * SECOND_MS)
})

/**
 * Schedules pods where the devices are that their claims ask for: allocates devices to claims, reserves the claims for the pod, and
 * deallocates those that keep an unschedulable pod away. Upstream: pkg/scheduler/framework/plugins/dynamicresources.
 */
export const dynamicResources: DynamicResources = dynamicResourcesWith(defaultDynamicResourcesArgs)

/** Prefers nodes where claims get the alternatives that they prefer. */
export const dynamicResourcesScore: ScorePlugin = {
  name: dynamicResourcesName,
  weight: 2,
  score: (pod, nodes, { devices }, scores) => needsDevices(pod, devices) && devices?.score(pod, nodes, scores) === true
}
