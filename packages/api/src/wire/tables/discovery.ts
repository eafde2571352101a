import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/discovery/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const discovery: Table = {
  package: "io.k8s.api.discovery.v1",
  group: "discovery.k8s.io",
  messages: `
EndpointSlice kind hasList # A part of the addresses behind a service.
  metadata 1 meta.ObjectMeta byValue
  addressType 4 string required enum=FQDN|IPv4|IPv6
  endpoints 2 []Endpoint noOmitEmpty
  ports 3 []EndpointPort noOmitEmpty
Endpoint
  addresses 1 []string required listType=set
  conditions 2 EndpointConditions byValue
  hostname 3 string pointer
  targetRef 4 core.ObjectReference
  deprecatedTopology 5 map[string]string
  nodeName 6 string pointer
  zone 7 string pointer
  hints 8 EndpointHints
EndpointConditions
  ready 1 bool pointer
  serving 2 bool pointer
  terminating 3 bool pointer
EndpointHints
  forZones 1 []ForZone
  forNodes 2 []ForNode
ForNode
  name 1 string required
ForZone
  name 1 string required
EndpointPort structType=atomic
  name 1 string pointer
  protocol 2 string pointer enum=SCTP|TCP|UDP
  port 3 int32 pointer
  appProtocol 4 string pointer
`
}
