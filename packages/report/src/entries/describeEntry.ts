import type { EventDetails, TraceEntry } from "@rollcall/simulator/result"
import { some } from "@rollcall/text"
import { actionText, faultText } from "../eventText.ts"
import type { ReportContext } from "../ReportContext.ts"
import { onNodes } from "../zonesText.ts"
import { describeEviction } from "./describeEviction.ts"
import { describeNode } from "./describeNode.ts"
import { describePod } from "./describePod.ts"
import { describeShutdown } from "./describeShutdown.ts"
import { describeZone } from "./describeZone.ts"
import { type EntryDescription, entryPlaces } from "./EntryDescription.ts"

/** The scenario's event for a fault or an action of the trace. */
export interface EventContext {
  readonly event?: EventDetails | undefined
  /** Whether to explain the fault, because it is the first of its name. */
  readonly explain?: boolean
}

const describeEvent = (
  entry: TraceEntry,
  context: ReportContext,
  { event, explain = false }: EventContext
): EntryDescription | undefined => {
  switch (entry.type) {
    case "FaultStarted":
    case "FaultEnded": {
      const what = entry.type === "FaultStarted" ? `begins${faultText(entry.fault, event, explain)}` : "ends"
      const nodes = entry.nodes.length === 0 ? "" : ` on ${onNodes(entry.nodes, context)}`
      return { key: "", topic: "fault", subject: "", gap: 0, text: () => `${entry.fault} ${what}${nodes}` }
    }
    case "Action": {
      const nodes = entry.nodes.length === 0 ? "" : ` ${some(entry.nodes)}`
      return { key: "", topic: "action", subject: "", gap: 0, text: () => `${entry.do}${nodes}${actionText(event)}` }
    }
    default:
      return undefined
  }
}

/** Returns the description of a trace entry, or undefined if the timeline leaves it out. */
export const describeEntry = (
  entry: TraceEntry,
  context: ReportContext,
  eventContext: EventContext = {}
): EntryDescription | undefined => {
  const places = entryPlaces(entry, context)
  return (
    describeEvent(entry, context, eventContext) ??
    describeNode(entry, places) ??
    describeZone(entry, places) ??
    describeShutdown(entry, places) ??
    describePod(entry, places) ??
    describeEviction(entry, places)
  )
}
