import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/events/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const events: Table = {
  package: "io.k8s.api.events.v1",
  group: "events.k8s.io",
  text: `
Event kind list # A report of a component about something that happened to an object.
  metadata 1 meta.ObjectMeta &
  eventTime 2 MicroTime !
  series 3 EventSeries
  reportingController 4 string
  reportingInstance 5 string
  action 6 string
  reason 7 string
  regarding 8 core.ObjectReference &
  related 9 core.ObjectReference
  note 10 string
  type 11 string
  deprecatedSource 12 core.EventSource &
  deprecatedFirstTimestamp 13 Time
  deprecatedLastTimestamp 14 Time
  deprecatedCount 15 int32
EventSeries
  count 1 int32 !
  lastObservedTime 2 MicroTime !
`
}
