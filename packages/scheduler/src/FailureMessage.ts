import * as Order from "effect/Order"
import type { Filtered } from "./Filtering.ts"
import type { Rejection } from "./Plugin.ts"

/** The message for a cluster without nodes. */
export const noNodesMessage = "no nodes available to schedule pods"

/** `1 reason, 2 other reason`. As upstream, the entries are sorted as text, so that 10 comes before 2. */
const countsText = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort(Order.String)
    .join(", ")

/** The message `0/N nodes are available: 1 reason, 2 other reason.` */
export const unavailableMessage = (total: number, counts: ReadonlyMap<string, number>): string => {
  const reasons = countsText(counts)
  return `0/${total} nodes are available:${reasons === "" ? "" : ` ${reasons}.`}`
}

/** Counts equal values. Neighbours often are equal, and cost a comparison. */
const countEqual = (rejections: ReadonlyArray<Rejection>): ReadonlyMap<Rejection, number> => {
  const counts = new Map<Rejection, number>()
  let from = 0
  for (let at = 1; at <= rejections.length; at++) {
    const rejection = rejections[from] as Rejection
    if (rejections[at] === rejection) continue
    counts.set(rejection, (counts.get(rejection) ?? 0) + at - from)
    from = at
  }
  return counts
}

/**
 * Counts the nodes for each reason; a node with several reasons counts for each. Nodes that were not checked, because
 * plugins restricted the nodes by name, have a reason of their own.
 */
export const countReasons = ({ restrictedBy, rejections, total }: Filtered): ReadonlyMap<string, number> => {
  const nodesByRejection = countEqual(rejections)
  const counts = new Map<string, number>()
  for (const [{ reasons }, nodes] of nodesByRejection) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  }
  const unchecked = total - rejections.length
  if (restrictedBy.length > 0 && unchecked > 0) {
    counts.set(`node(s) didn't satisfy plugin(s) [${restrictedBy.join(" ")}]`, unchecked)
  }
  return counts
}

/**
 * Why a pod is unschedulable: the text of the event FailedScheduling and of the condition PodScheduled. `postFilter` is
 * the message of preemption.
 * Upstream: pkg/scheduler/framework/types.go FitError.
 */
export const failureMessage = (filtered: Filtered, postFilter = ""): string => {
  const { preFilter, total } = filtered
  if (total === 0) return noNodesMessage
  const text =
    preFilter === undefined
      ? unavailableMessage(total, countReasons(filtered))
      : `0/${total} nodes are available: ${preFilter.reasons.join(", ")}.`
  return postFilter === "" ? text : `${text} ${postFilter}`
}

/**
 * The filters that rejected the pod or at least one node, or restricted the nodes by name; sorted. Only their events
 * can make the pod schedulable.
 */
export const rejectingPlugins = ({ restrictedBy, preFilter, rejections }: Filtered): ReadonlyArray<string> => {
  const plugins = new Set(restrictedBy)
  if (preFilter !== undefined) plugins.add(preFilter.plugin)
  let last = ""
  for (const { plugin } of rejections) {
    if (plugin !== last) plugins.add(plugin)
    last = plugin
  }
  return [...plugins].sort()
}

const NOTE_LIMIT = 1024
const ellipsis = " ..."

/** Shortens a message for an Event, whose note the API limits to 1024 characters. */
export const eventNote = (message: string): string =>
  message.length <= NOTE_LIMIT ? message : message.slice(0, NOTE_LIMIT - ellipsis.length) + ellipsis
