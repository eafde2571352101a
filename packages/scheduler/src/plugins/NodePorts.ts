import type { HostPort, PodInfo } from "../cache/CacheRecords.ts"
import { portsClash } from "../cache/PodInfo.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"

const name = "NodePorts"

const taken: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't have free ports for the requested pod ports"]
}

const clash = (wanted: ReadonlyArray<HostPort>, used: ReadonlyArray<HostPort>): boolean =>
  wanted.some((port) => used.some((other) => portsClash(port, other)))

const isFree = (wanted: ReadonlyArray<HostPort>, pods: ReadonlySet<PodInfo>): boolean => {
  for (const { hostPorts } of pods) if (clash(wanted, hostPorts)) return false
  return true
}

/** Host ports. Upstream: pkg/scheduler/framework/plugins/nodeports. */
export const nodePorts: FilterPlugin = {
  name,
  prepare: ({ hostPorts }) =>
    hostPorts.length === 0
      ? skip
      : { _tag: "Check", check: (node) => (isFree(hostPorts, node.podsWithHostPorts) ? undefined : taken) },
  hint: ({ hostPorts }, event, cache) =>
    event._tag === "NodeAdded" ||
    (event._tag === "AssignedPodDeleted" && clash(hostPorts, cache.describe(event.pod).hostPorts))
}
