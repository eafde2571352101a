import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/flowcontrol/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const flowcontrol: Table = {
  package: "io.k8s.api.flowcontrol.v1",
  group: "flowcontrol.apiserver.k8s.io",
  messages: `
FlowSchema kind hasList # Assigns requests to a priority level.
  metadata 1 meta.ObjectMeta byValue
  spec 2 FlowSchemaSpec byValue
  status 3 FlowSchemaStatus byValue
FlowSchemaSpec
  priorityLevelConfiguration 1 PriorityLevelConfigurationReference required byValue # The priority level of requests that match the schema.
  matchingPrecedence 2 int32 noOmitEmpty # If several schemas match a request, the one with the lowest number is used: 1 to 10000.
  distinguisherMethod 3 FlowDistinguisherMethod # How requests of the schema are divided into flows.
  rules 4 []PolicyRulesWithSubjects # The rules of the schema: a request matches the schema if it matches one of them.
PriorityLevelConfigurationReference
  name 1 string required # The name of the priority level.
FlowDistinguisherMethod
  type 1 string required # ByUser or ByNamespace.
PolicyRulesWithSubjects # A rule that matches requests of some subjects for some resources or paths.
  subjects 1 []Subject required
  resourceRules 2 []ResourcePolicyRule
  nonResourceRules 3 []NonResourcePolicyRule
Subject # A subject that a rule matches.
  kind 1 string required
  user 2 UserSubject
  group 3 GroupSubject
  serviceAccount 4 ServiceAccountSubject
UserSubject
  name 1 string required
GroupSubject
  name 1 string required
ServiceAccountSubject
  namespace 1 string required
  name 2 string required
ResourcePolicyRule # Verbs on some resources.
  verbs 1 []string required listType=set
  apiGroups 2 []string required listType=set
  resources 3 []string required listType=set
  clusterScope 4 bool
  namespaces 5 []string noOmitEmpty listType=set
NonResourcePolicyRule # Verbs on paths of URLs that are not resources.
  verbs 1 []string required listType=set
  nonResourceURLs 6 []string required listType=set
FlowSchemaStatus
  conditions 1 []FlowSchemaCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
FlowSchemaCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
PriorityLevelConfiguration kind hasList # The limit of concurrent requests, and how other requests wait.
  metadata 1 meta.ObjectMeta byValue
  spec 2 PriorityLevelConfigurationSpec byValue
  status 3 PriorityLevelConfigurationStatus byValue
PriorityLevelConfigurationSpec
  type 1 string required # Exempt or Limited.
  limited 2 LimitedPriorityLevelConfiguration
  exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 pointer noOmitEmpty # The share of the server's seats, relative to the sum over all levels.
  limitResponse 2 LimitResponse byValue # The response to a request for which no seat is free.
  lendablePercent 3 int32 pointer # The percentage of its seats that other levels may borrow.
  borrowingLimitPercent 4 int32 pointer # The most seats that it may borrow, as a percentage of its own seats.
ExemptPriorityLevelConfiguration
  nominalConcurrencyShares 1 int32 pointer
  lendablePercent 2 int32 pointer
LimitResponse
  type 1 string required # Queue or Reject.
  queuing 2 QueuingConfiguration
QueuingConfiguration
  queues 1 int32 noOmitEmpty # The number of queues.
  handSize 2 int32 noOmitEmpty # The number of queues that one flow may use.
  queueLengthLimit 3 int32 noOmitEmpty # The most requests that may wait in one queue.
PriorityLevelConfigurationStatus
  conditions 1 []PriorityLevelConfigurationCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
PriorityLevelConfigurationCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
`
}
