import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const meta: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  messages: `
Condition
  type 1 string required
  status 2 string required
  observedGeneration 3 int64
  lastTransitionTime 4 Time required
  reason 5 string required
  message 6 string required
DeleteOptions kind # The options of a deletion.
  gracePeriodSeconds 1 int64 pointer
  preconditions 2 Preconditions
  orphanDependents 3 bool pointer
  propagationPolicy 4 string pointer
  dryRun 5 []string
  ignoreStoreReadErrorWithClusterBreakingPotential 6 bool pointer
FieldSelectorRequirement
  key 1 string required
  operator 2 string required
  values 3 []string
LabelSelector structType=atomic # Selects objects by their labels: all requirements must match; an empty selector selects all objects.
  matchLabels 1 map[string]string
  matchExpressions 2 []LabelSelectorRequirement
LabelSelectorRequirement
  key 1 string required
  operator 2 string required
  values 3 []string
ListMeta
  selfLink 1 string
  resourceVersion 2 string
  continue 3 string
  remainingItemCount 4 int64 pointer
  shardInfo 5 ShardInfo
ManagedFieldsEntry
  manager 1 string
  operation 2 string
  apiVersion 3 string
  time 4 Time pointer
  fieldsType 6 string
  fieldsV1 7 FieldsV1 pointer
  subresource 8 string
ObjectMeta # The metadata of every object.
  name 1 string # The name of the object, unique among the objects of its kind in a namespace.
  generateName 2 string # The prefix of the name that the server generates if none is given.
  namespace 3 string # The namespace of the object.
  selfLink 4 string # Has no effect: no component sets it any more.
  uid 5 string # A unique ID; unlike the name, it is never reused.
  resourceVersion 6 string # The version of the object, which changes with every write. Clients send it back unchanged.
  generation 7 int64 # A number that increases with each change of the desired state.
  creationTimestamp 8 Time omitZero # CreationTimestamp is a timestamp: when the server created the object.
  deletionTimestamp 9 Time pointer # The time at which the object is to be deleted. The server sets it when a deletion has to wait.
  deletionGracePeriodSeconds 10 int64 pointer # The grace period of the deletion in seconds.
  labels 11 map[string]string # Keys and values by which objects are selected.
  annotations 12 map[string]string # Keys and values that are not used to select objects.
  ownerReferences 13 []OwnerReference listType=map listMapKeys=uid patchStrategy=merge patchMergeKey=uid # The owners: the object is deleted when all of them are deleted.
  finalizers 14 []string listType=set patchStrategy=merge # The finalizers: the object is deleted when this list is empty.
  managedFields 17 []ManagedFieldsEntry # The field managers of the object and the fields that each owns.
OwnerReference structType=atomic
  apiVersion 5 string required
  kind 1 string required
  name 3 string required
  uid 4 string required
  controller 6 bool pointer
  blockOwnerDeletion 7 bool pointer
Preconditions
  uid 1 string pointer
  resourceVersion 2 string pointer
ShardInfo
  selector 1 string required
Status kind # The result of a request that returns no object.
  metadata 1 ListMeta byValue
  status 2 string
  message 3 string
  reason 4 string
  details 5 StatusDetails
  code 6 int32
StatusCause
  reason 1 string
  message 2 string
  field 3 string
StatusDetails
  name 1 string
  group 2 string
  kind 3 string
  uid 6 string
  causes 4 []StatusCause
  retryAfterSeconds 5 int32
`
}
