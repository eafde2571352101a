import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/events/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const events: Table = {
  package: "io.k8s.api.events.v1",
  group: "events.k8s.io",
  messages: `
Event kind hasList # A report of a component about something that happened to an object.
  metadata 1 meta.ObjectMeta byValue
  eventTime 2 MicroTime required
  series 3 EventSeries
  reportingController 4 string
  reportingInstance 5 string
  action 6 string
  reason 7 string
  regarding 8 core.ObjectReference byValue
  related 9 core.ObjectReference
  note 10 string
  type 11 string
  deprecatedSource 12 core.EventSource byValue
  deprecatedFirstTimestamp 13 Time
  deprecatedLastTimestamp 14 Time
  deprecatedCount 15 int32
EventSeries
  count 1 int32 required
  lastObservedTime 2 MicroTime required
`
}
