import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/{types.go,generated.proto}. */
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
DeleteOptions kind
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
LabelSelector atomic
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
ObjectMeta
  name 1 string
  generateName 2 string
  namespace 3 string
  selfLink 4 string
  uid 5 string
  resourceVersion 6 string
  generation 7 int64
  creationTimestamp 8 Time -
  deletionTimestamp 9 Time *
  deletionGracePeriodSeconds 10 int64 *
  labels 11 {}string
  annotations 12 {}string
  ownerReferences 13 []OwnerReference by(uid) merge(uid)
  finalizers 14 []string set merge
  managedFields 17 []ManagedFieldsEntry
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
Status kind
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
