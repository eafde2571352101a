import * as Order from "effect/Order"
import type { Filtered } from "./Filtered.ts"

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

/**
 * Counts the nodes for each reason; a node with several reasons counts for each. Nodes that were not checked, because
 * plugins restricted the nodes by name, have a reason of their own.
 */
export const countReasons = (filtered: Filtered): ReadonlyMap<string, number> => {
  const { checked, feasible, restrictedBy, total } = filtered
  const counts = new Map<string, number>()
  for (const [{ reasons }, nodes] of filtered.counts) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  }
  const unchecked = total - checked + feasible.length
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
export const rejectingPlugins = ({ counts, restrictedBy, preFilter }: Filtered): ReadonlyArray<string> => {
  const plugins = new Set(restrictedBy)
  if (preFilter !== undefined) plugins.add(preFilter.plugin)
  for (const { plugin } of counts.keys()) plugins.add(plugin)
  return [...plugins].sort()
}

const NOTE_LIMIT = 1024
const ellipsis = " ..."

/** Shortens a message for an Event, whose note the API limits to 1024 characters. */
export const eventNote = (message: string): string =>
  message.length <= NOTE_LIMIT ? message : message.slice(0, NOTE_LIMIT - ellipsis.length) + ellipsis
