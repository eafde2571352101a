import type { Event, KubeObject, ObjectReference } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import { column, nameColumn, type Printer, printer, wideColumn } from "./Printer.ts"

/** An Event of events.k8s.io/v1. */
interface EventsV1Event extends KubeObject {
  readonly regarding?: ObjectReference
  readonly note?: string
  readonly reportingController?: string
  readonly deprecatedSource?: Event["source"]
  readonly deprecatedFirstTimestamp?: string | null
  readonly deprecatedLastTimestamp?: string | null
  readonly deprecatedCount?: number
}

/** An Event of either group. */
type AnyEvent = Partial<Event> & EventsV1Event

const subjectOf = (event: AnyEvent): ObjectReference => event.involvedObject ?? event.regarding ?? {}

const firstSeen = (event: AnyEvent, nowMs: number): string =>
  ageOf(event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime, nowMs)

const lastSeen = (event: AnyEvent, nowMs: number): string => {
  if (event.series !== undefined) return ageOf(event.series.lastObservedTime, nowMs)
  const last = event.lastTimestamp ?? event.deprecatedLastTimestamp
  return last === undefined || last === null ? firstSeen(event, nowMs) : ageOf(last, nowMs)
}

const countOf = (event: AnyEvent): number =>
  event.series === undefined ? (event.count ?? event.deprecatedCount) || 1 : (event.series.count ?? 0)

const objectText = (event: AnyEvent): string => {
  const { kind = "", name } = subjectOf(event)
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()
}

const sourceText = (event: AnyEvent): string => {
  const source = event.source ?? event.deprecatedSource
  const component = source?.component || (event.reportingComponent ?? event.reportingController ?? "")
  const host = source?.host || (event.reportingInstance ?? "")
  return host === "" ? component : `${component}, ${host}`
}

/** The table of both API groups' events. Upstream: pkg/printers/internalversion/printers.go, printEvent. */
export const events: Printer = printer<AnyEvent>(
  column("Last Seen", "string", "When it happened last.", lastSeen),
  column("Type", "string", "Whether it is normal or a warning.", ({ type }) => type ?? ""),
  column("Reason", "string", "What happened, in one word.", ({ reason }) => reason ?? ""),
  column("Object", "string", "What it happened to.", objectText),
  wideColumn(
    "Subobject",
    "string",
    "The part of the object that it is about.",
    (event) => subjectOf(event).fieldPath ?? ""
  ),
  wideColumn("Source", "string", "Who says so.", sourceText),
  column("Message", "string", "What happened, for people.", ({ message, note }) => (message ?? note ?? "").trim()),
  wideColumn("First Seen", "string", "When it happened first.", firstSeen),
  wideColumn("Count", "string", "How often it happened.", countOf),
  { ...nameColumn, definition: { ...nameColumn.definition, priority: 1 } }
)
