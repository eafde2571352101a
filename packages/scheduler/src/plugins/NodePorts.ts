import type { HostPort, PodInfo } from "../cache/CacheRecords.ts"
import { portsConflict } from "../cache/PodInfo.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "NodePorts"

const portsInUse: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't have free ports for the requested pod ports"]
}

/** Whether a pod needs a port that is in use. */
const anyConflict = (wanted: ReadonlyArray<HostPort>, used: ReadonlyArray<HostPort>): boolean =>
  wanted.some((port) => used.some((other) => portsConflict(port, other)))

const areFree = (wanted: ReadonlyArray<HostPort>, pods: ReadonlySet<PodInfo>): boolean => {
  for (const { hostPorts } of pods) if (anyConflict(wanted, hostPorts)) return false
  return true
}

/** Filters nodes on which a host port of the pod is in use. Upstream: pkg/scheduler/framework/plugins/nodeports. */
export const nodePorts: FilterPlugin = {
  name,
  prepare: ({ hostPorts }) =>
    hostPorts.length === 0
      ? skip
      : {
          _tag: "Check",
          check: (node) => (areFree(hostPorts, node.podsWithHostPorts) ? undefined : portsInUse),
          local: true
        },
  hint: orTaintChange(
    ({ hostPorts }, event, cache) =>
      event._tag === "NodeAdded" ||
      (event._tag === "AssignedPodDeleted" && anyConflict(hostPorts, cache.describe(event.pod).hostPorts))
  )
}
