import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const core: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
ComponentStatus kind hasList # Whether a component of the control plane is healthy. Deprecated.
  metadata 1 meta.ObjectMeta byValue
  conditions 2 []ComponentCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
ComponentCondition
  type 1 string required
  status 2 string required
  message 3 string
  error 4 string
Namespace kind hasList # A namespace: names are unique within it.
  metadata 1 meta.ObjectMeta byValue
  spec 2 NamespaceSpec byValue
  status 3 NamespaceStatus byValue
NamespaceSpec # The finalizers that must be removed before the namespace is deleted.
  finalizers 1 []string
NamespaceStatus # The phase of a namespace's lifecycle.
  phase 1 string enum=Active|Terminating
  conditions 2 []NamespaceCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
NamespaceCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
ConfigMap kind hasList # Configuration data as texts by key.
  metadata 1 meta.ObjectMeta byValue
  immutable 4 bool pointer # Whether the data is immutable.
  data 2 map[string]string # The texts by key.
  binaryData 3 map[string]bytes # The bytes by key.
Secret kind hasList # Confidential keys and values.
  metadata 1 meta.ObjectMeta byValue
  immutable 5 bool pointer
  data 2 map[string]bytes # Values by key, in base64.
  stringData 4 map[string]string # Values by key as plain text: written into data, never read back.
  type 3 string # The type of the secret.
ServiceAccount kind hasList # An identity with which pods access the API.
  metadata 1 meta.ObjectMeta byValue
  secrets 2 []ObjectReference listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
  imagePullSecrets 3 []LocalObjectReference
  automountServiceAccountToken 4 bool pointer
ObjectReference structType=atomic
  kind 1 string
  namespace 2 string
  name 3 string
  uid 4 string
  apiVersion 5 string
  resourceVersion 6 string
  fieldPath 7 string
Event kind hasList # A report of a component about something that happened to an object.
  metadata 1 meta.ObjectMeta required byValue
  involvedObject 2 ObjectReference required byValue
  reason 3 string
  message 4 string
  source 5 EventSource byValue
  firstTimestamp 6 Time
  lastTimestamp 7 Time
  count 8 int32
  type 9 string
  eventTime 10 MicroTime
  series 11 EventSeries
  action 12 string
  related 13 ObjectReference
  reportingComponent 14 string noOmitEmpty
  reportingInstance 15 string noOmitEmpty
EventSource
  component 1 string
  host 2 string
EventSeries
  count 1 int32
  lastObservedTime 2 MicroTime
`
}
