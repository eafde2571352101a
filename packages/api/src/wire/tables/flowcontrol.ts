import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/flowcontrol/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const flowcontrol: Table = {
  package: "io.k8s.api.flowcontrol.v1",
  group: "flowcontrol.apiserver.k8s.io",
  text: `
FlowSchema kind list # Which requests belong to which priority level.
  metadata 1 meta.ObjectMeta &
  spec 2 FlowSchemaSpec &
  status 3 FlowSchemaStatus &
FlowSchemaSpec
  priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! & # The priority level of the requests that match.
  matchingPrecedence 2 int32 0 # Of the schemas that match a request, the one with the lowest number counts: 1 to 10000.
  distinguisherMethod 3 FlowDistinguisherMethod # What tells the flows of the schema apart.
  rules 4 []PolicyRulesWithSubjects # Which requests match: those that one of the rules matches.
PriorityLevelConfigurationReference
  name 1 string ! # The name of the priority level.
FlowDistinguisherMethod
  type 1 string ! # ByUser or ByNamespace.
PolicyRulesWithSubjects # Requests of some subjects, for some resources or paths.
  subjects 1 []Subject !
  resourceRules 2 []ResourcePolicyRule
  nonResourceRules 3 []NonResourcePolicyRule
Subject # Who a rule is about.
  kind 1 string !
  user 2 UserSubject
  group 3 GroupSubject
  serviceAccount 4 ServiceAccountSubject
UserSubject
  name 1 string !
GroupSubject
  name 1 string !
ServiceAccountSubject
  namespace 1 string !
  name 2 string !
ResourcePolicyRule # Verbs on some resources.
  verbs 1 []string ! set
  apiGroups 2 []string ! set
  resources 3 []string ! set
  clusterScope 4 bool
  namespaces 5 []string 0 set
NonResourcePolicyRule # Verbs on paths that are no resources.
  verbs 1 []string ! set
  nonResourceURLs 6 []string ! set
FlowSchemaStatus
  conditions 1 []FlowSchemaCondition by(type) merge(type)
FlowSchemaCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
PriorityLevelConfiguration kind list # How many requests are worked on at a time, and how others wait.
  metadata 1 meta.ObjectMeta &
  spec 2 PriorityLevelConfigurationSpec &
  status 3 PriorityLevelConfigurationStatus &
PriorityLevelConfigurationSpec
  type 1 string ! # Exempt or Limited.
  limited 2 LimitedPriorityLevelConfiguration
  exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 * 0 # Its part of the server's seats, relative to the sum over all levels.
  limitResponse 2 LimitResponse & # What becomes of a request for which there is no seat.
  lendablePercent 3 int32 * # How much of its seats other levels may borrow.
  borrowingLimitPercent 4 int32 * # How much it may borrow, in percent of its own seats.
ExemptPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 *
  lendablePercent 2 int32 *
LimitResponse
  type 1 string ! # Queue or Reject.
  queuing 2 QueuingConfiguration
QueuingConfiguration
  queues 1 int32 0 # How many queues there are.
  handSize 2 int32 0 # How many of them one flow may use.
  queueLengthLimit 3 int32 0 # How many requests may wait in one of them.
PriorityLevelConfigurationStatus
  conditions 1 []PriorityLevelConfigurationCondition by(type) merge(type)
PriorityLevelConfigurationCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
`
}
