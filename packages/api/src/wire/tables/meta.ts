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
DeleteOptions kind # How an object is to be deleted.
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
LabelSelector atomic # Objects by their labels: all conditions must hold; an empty one selects everything.
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
ObjectMeta # What every object has beside what it is about.
  name 1 string # The object's name: with its namespace, unique among its kind.
  generateName 2 string # What a generated name begins with, where none is given.
  namespace 3 string # Where the object lives.
  selfLink 4 string # Without effect: nothing sets it any more.
  uid 5 string # Unlike the name, never used again.
  resourceVersion 6 string # Changes with every write; to be handed back, not to be read.
  generation 7 int64 # Counts changes of what is wanted.
  creationTimestamp 8 Time - # When the object was made.
  deletionTimestamp 9 Time * # When the object is to be gone. Set by the server when a deletion has to wait.
  deletionGracePeriodSeconds 10 int64 * # How long the object may take to go.
  labels 11 {}string # Keys and values to select objects by.
  annotations 12 {}string # Keys and values that nothing selects by.
  ownerReferences 13 []OwnerReference by(uid) merge(uid) # Objects that this one goes with.
  finalizers 14 []string set merge # What must happen before the object may go.
  managedFields 17 []ManagedFieldsEntry # Who set which fields.
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
Status kind # How a request ended, when it has no object to answer with.
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
