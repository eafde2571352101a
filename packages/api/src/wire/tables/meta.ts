import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const meta: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  text: `
Condition
  type 1 string !
  status 2 string !
  observedGeneration 3 int64
  lastTransitionTime 4 Time !
  reason 5 string !
  message 6 string !
DeleteOptions kind # The options of a deletion.
  gracePeriodSeconds 1 int64 *
  preconditions 2 Preconditions
  orphanDependents 3 bool *
  propagationPolicy 4 string *
  dryRun 5 []string
  ignoreStoreReadErrorWithClusterBreakingPotential 6 bool *
FieldSelectorRequirement
  key 1 string !
  operator 2 string !
  values 3 []string
LabelSelector atomic # Selects objects by their labels: all requirements must match; an empty selector selects all objects.
  matchLabels 1 {}string
  matchExpressions 2 []LabelSelectorRequirement
LabelSelectorRequirement
  key 1 string !
  operator 2 string !
  values 3 []string
ListMeta
  selfLink 1 string
  resourceVersion 2 string
  continue 3 string
  remainingItemCount 4 int64 *
  shardInfo 5 ShardInfo
ManagedFieldsEntry
  manager 1 string
  operation 2 string
  apiVersion 3 string
  time 4 Time *
  fieldsType 6 string
  fieldsV1 7 FieldsV1
  subresource 8 string
ObjectMeta # The metadata of every object.
  name 1 string # The name of the object, unique among the objects of its kind in a namespace.
  generateName 2 string # The prefix of the name that the server generates if none is given.
  namespace 3 string # The namespace of the object.
  selfLink 4 string # Has no effect: no component sets it any more.
  uid 5 string # A unique ID; unlike the name, it is never reused.
  resourceVersion 6 string # The version of the object, which changes with every write. Clients send it back unchanged.
  generation 7 int64 # A number that increases with each change of the desired state.
  creationTimestamp 8 Time - # The time at which the object was created.
  deletionTimestamp 9 Time * # The time at which the object is to be deleted. The server sets it when a deletion has to wait.
  deletionGracePeriodSeconds 10 int64 * # The grace period of the deletion in seconds.
  labels 11 {}string # Keys and values by which objects are selected.
  annotations 12 {}string # Keys and values that are not used to select objects.
  ownerReferences 13 []OwnerReference by(uid) merge(uid) # The owners: the object is deleted when all of them are deleted.
  finalizers 14 []string set merge # The finalizers: the object is deleted when this list is empty.
  managedFields 17 []ManagedFieldsEntry # The field managers of the object and the fields that each owns.
OwnerReference
  apiVersion 5 string !
  kind 1 string !
  name 3 string !
  uid 4 string !
  controller 6 bool *
  blockOwnerDeletion 7 bool *
Preconditions
  uid 1 string *
  resourceVersion 2 string *
ShardInfo
  selector 1 string !
Status kind # The result of a request that returns no object.
  metadata 1 ListMeta &
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
