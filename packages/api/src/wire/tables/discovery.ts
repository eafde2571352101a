import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/discovery/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const discovery: Table = {
  package: "io.k8s.api.discovery.v1",
  group: "discovery.k8s.io",
  text: `
EndpointSlice kind list # A part of the addresses behind a service.
  metadata 1 meta.ObjectMeta &
  addressType 4 string ! enum(FQDN|IPv4|IPv6)
  endpoints 2 []Endpoint !
  ports 3 []EndpointPort 0
Endpoint
  addresses 1 []string ! set
  conditions 2 EndpointConditions &
  hostname 3 string *
  targetRef 4 core.ObjectReference
  deprecatedTopology 5 {}string
  nodeName 6 string *
  zone 7 string *
  hints 8 EndpointHints
EndpointConditions
  ready 1 bool *
  serving 2 bool *
  terminating 3 bool *
EndpointHints
  forZones 1 []ForZone
  forNodes 2 []ForNode
ForNode
  name 1 string !
ForZone
  name 1 string !
EndpointPort atomic
  name 1 string *
  protocol 2 string * enum(SCTP|TCP|UDP)
  port 3 int32 *
  appProtocol 4 string *
`
}
