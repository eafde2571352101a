import * as Order from "effect/Order"
import type { Filtered } from "./Filtering.ts"
import type { Rejection } from "./Plugin.ts"

/** The message for a cluster without nodes. */
export const noNodesMessage = "no nodes available to schedule pods"

/** `1 reason, 2 other reason`: with counts, sorted as text, so that 10 comes before 2. */
const histogram = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort(Order.String)
    .join(", ")

/** `0/N nodes are available: 1 reason, 2 other reason.` */
export const unavailable = (total: number, counts: ReadonlyMap<string, number>): string => {
  const reasons = histogram(counts)
  return `0/${total} nodes are available:${reasons === "" ? "" : ` ${reasons}.`}`
}

/** Counts the nodes for each reason; a node with several reasons counts for each. */
export const countReasons = ({ pinnedBy, rejections, total }: Filtered): ReadonlyMap<string, number> => {
  const nodesBy = new Map<Rejection, number>()
  for (const rejection of rejections) nodesBy.set(rejection, (nodesBy.get(rejection) ?? 0) + 1)
  const counts = new Map<string, number>()
  for (const [{ reasons }, nodes] of nodesBy) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  }
  const leftOut = total - rejections.length
  if (pinnedBy.length > 0 && leftOut > 0) {
    counts.set(`node(s) didn't satisfy plugin(s) [${pinnedBy.join(" ")}]`, leftOut)
  }
  return counts
}

/**
 * Why a pod is unschedulable: the text of the event FailedScheduling and of the condition PodScheduled.
 * Upstream: pkg/scheduler/framework/types.go FitError.
 */
export const failureMessage = (filtered: Filtered, postFilter = ""): string => {
  const { preFilter, total } = filtered
  if (total === 0) return noNodesMessage
  const text =
    preFilter === undefined
      ? unavailable(total, countReasons(filtered))
      : `0/${total} nodes are available: ${preFilter.reasons.join(", ")}.`
  if (postFilter === "") return text
  return `${text} ${postFilter}${postFilter.endsWith(".") ? "" : "."}`
}

/**
 * The filters that rejected the pod or at least one node, or restricted the nodes by name; sorted. Only their events
 * can make the pod schedulable.
 */
export const rejectingPlugins = ({ pinnedBy, preFilter, rejections }: Filtered): ReadonlyArray<string> => {
  const plugins = new Set(pinnedBy)
  if (preFilter !== undefined) plugins.add(preFilter.plugin)
  for (const { plugin } of rejections) plugins.add(plugin)
  return [...plugins].sort()
}

const NOTE_LIMIT = 1024
const ellipsis = " ..."

/** Event notes are limited to 1024 characters. */
export const eventNote = (message: string): string =>
  message.length <= NOTE_LIMIT ? message : message.slice(0, NOTE_LIMIT - ellipsis.length) + ellipsis
