import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/flowcontrol/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const flowcontrol: Table = {
  package: "io.k8s.api.flowcontrol.v1",
  group: "flowcontrol.apiserver.k8s.io",
  text: `
FlowSchema kind list # Assigns requests to a priority level.
  metadata 1 meta.ObjectMeta &
  spec 2 FlowSchemaSpec &
  status 3 FlowSchemaStatus &
FlowSchemaSpec
  priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! & # The priority level of requests that match the schema.
  matchingPrecedence 2 int32 0 # If several schemas match a request, the one with the lowest number is used: 1 to 10000.
  distinguisherMethod 3 FlowDistinguisherMethod # How requests of the schema are divided into flows.
  rules 4 []PolicyRulesWithSubjects # The rules of the schema: a request matches the schema if it matches one of them.
PriorityLevelConfigurationReference
  name 1 string ! # The name of the priority level.
FlowDistinguisherMethod
  type 1 string ! # ByUser or ByNamespace.
PolicyRulesWithSubjects # A rule that matches requests of some subjects for some resources or paths.
  subjects 1 []Subject !
  resourceRules 2 []ResourcePolicyRule
  nonResourceRules 3 []NonResourcePolicyRule
Subject # A subject that a rule matches.
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
NonResourcePolicyRule # Verbs on paths of URLs that are not resources.
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
PriorityLevelConfiguration kind list # The limit of concurrent requests, and how other requests wait.
  metadata 1 meta.ObjectMeta &
  spec 2 PriorityLevelConfigurationSpec &
  status 3 PriorityLevelConfigurationStatus &
PriorityLevelConfigurationSpec
  type 1 string ! # Exempt or Limited.
  limited 2 LimitedPriorityLevelConfiguration
  exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 * 0 # The share of the server's seats, relative to the sum over all levels.
  limitResponse 2 LimitResponse & # The response to a request for which no seat is free.
  lendablePercent 3 int32 * # The percentage of its seats that other levels may borrow.
  borrowingLimitPercent 4 int32 * # The most seats that it may borrow, as a percentage of its own seats.
ExemptPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 *
  lendablePercent 2 int32 *
LimitResponse
  type 1 string ! # Queue or Reject.
  queuing 2 QueuingConfiguration
QueuingConfiguration
  queues 1 int32 0 # The number of queues.
  handSize 2 int32 0 # The number of queues that one flow may use.
  queueLengthLimit 3 int32 0 # The most requests that may wait in one queue.
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
