import { type Node, type Pod, qosClassOf } from "@rollcall/api"
import type { FilterPlugin, Rejection } from "../Plugin.ts"

const name = "NodeCondition"

const rejection = (reason: string): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: [reason]
})

const notReady = rejection("node(s) were not ready")
const outOfDisk = rejection("node(s) were out of disk")
const noNetwork = rejection("node(s) had unavailable network")
const diskPressure = rejection("node(s) had disk pressure")
const memoryPressure = rejection("node(s) had memory pressure")

/** Why the conditions of a node reject a pod: readiness first, then in the order of the conditions. */
const rejectionOf = (node: Node | undefined, bestEffort: boolean): Rejection | undefined => {
  const conditions = node?.status?.conditions ?? []
  if (conditions.some(({ status, type }) => type === "Ready" && status !== "True")) return notReady
  for (const { status, type } of conditions) {
    if (type === "OutOfDisk" && status !== "False") return outOfDisk
    if (type === "NetworkUnavailable" && status !== "False") return noNetwork
    if (type === "DiskPressure" && status === "True") return diskPressure
    if (type === "MemoryPressure" && status === "True" && bestEffort) return memoryPressure
  }
  return undefined
}

const isBestEffort = (pod: Pod): boolean => qosClassOf(pod) === "BestEffort"

/**
 * Rejects nodes with bad conditions, for clusters in which conditions do not become taints. Upstream until 1.11:
 * pkg/scheduler/algorithm/predicates CheckNodeCondition, CheckNodeMemoryPressure, CheckNodeDiskPressure; in 1.4 nodes
 * that are not ready, out of disk or without network were removed before any predicate ran.
 */
export const nodeCondition: FilterPlugin = {
  name,
  prepare: ({ pod }) => {
    const bestEffort = isBestEffort(pod)
    return { _tag: "Check", check: ({ node }) => rejectionOf(node, bestEffort) }
  },
  hint: (_, event) => event._tag === "NodeAdded" || (event._tag === "NodeUpdated" && event.change.conditions)
}
