import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const core: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Namespace kind list # A namespace: names are unique within it.
  metadata 1 meta.ObjectMeta &
  spec 2 NamespaceSpec &
  status 3 NamespaceStatus &
NamespaceSpec # The finalizers that must be removed before the namespace is deleted.
  finalizers 1 []string
NamespaceStatus # The phase of a namespace's lifecycle.
  phase 1 string enum(Active|Terminating)
  conditions 2 []NamespaceCondition by(type) merge(type)
NamespaceCondition
  type 1 string !
  status 2 string !
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
ConfigMap kind list # Configuration data as texts by key.
  metadata 1 meta.ObjectMeta &
  immutable 4 bool * # Whether the data is immutable.
  data 2 {}string # The texts by key.
  binaryData 3 {}bytes # The bytes by key.
Secret kind list # Confidential keys and values.
  metadata 1 meta.ObjectMeta &
  immutable 5 bool *
  data 2 {}bytes # Values by key, in base64.
  stringData 4 {}string # Values by key as plain text: written into data, never read back.
  type 3 string # The type of the secret.
ServiceAccount kind list # An identity with which pods access the API.
  metadata 1 meta.ObjectMeta &
  secrets 2 []ObjectReference by(name) merge(name)
  imagePullSecrets 3 []LocalObjectReference
  automountServiceAccountToken 4 bool *
ObjectReference atomic
  kind 1 string
  namespace 2 string
  name 3 string
  uid 4 string
  apiVersion 5 string
  resourceVersion 6 string
  fieldPath 7 string
Event kind list # A report of a component about something that happened to an object.
  metadata 1 meta.ObjectMeta ! &
  involvedObject 2 ObjectReference ! &
  reason 3 string
  message 4 string
  source 5 EventSource &
  firstTimestamp 6 Time
  lastTimestamp 7 Time
  count 8 int32
  type 9 string
  eventTime 10 MicroTime
  series 11 EventSeries
  action 12 string
  related 13 ObjectReference
  reportingComponent 14 string 0
  reportingInstance 15 string 0
EventSource
  component 1 string
  host 2 string
EventSeries
  count 1 int32
  lastObservedTime 2 MicroTime
`
}
