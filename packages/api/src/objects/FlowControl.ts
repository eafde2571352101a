import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Time } from "./Scalars.ts"

const Named = Schema.Struct({ name: Schema.String })

/** A subject of a FlowSchema's rule, in the field named by `kind`. `*` matches every subject of that kind. */
export const FlowSubject = Schema.Struct({
  kind: oneOf("User", "Group", "ServiceAccount"),
  user: opt(Named),
  group: opt(Named),
  serviceAccount: opt(Schema.Struct({ namespace: Schema.String, name: Schema.String }))
})
export interface FlowSubject extends Schema.Schema.Type<typeof FlowSubject> {}

/** Matches requests for resources. `*` alone in a list matches all. */
export const ResourcePolicyRule = Schema.Struct({
  verbs: list(Schema.String),
  apiGroups: list(Schema.String),
  /** `plural` or `plural/subresource`. */
  resources: list(Schema.String),
  /** Whether requests without a namespace match. */
  clusterScope: opt(Schema.Boolean),
  namespaces: opt(Schema.NullOr(list(Schema.String)))
})
export interface ResourcePolicyRule extends Schema.Schema.Type<typeof ResourcePolicyRule> {}

/** Matches requests for non-resource paths: `/healthz`, `/metrics/*`, or `*`. */
export const NonResourcePolicyRule = Schema.Struct({
  verbs: list(Schema.String),
  nonResourceURLs: list(Schema.String)
})
export interface NonResourcePolicyRule extends Schema.Schema.Type<typeof NonResourcePolicyRule> {}

/** Matches a request when one of the subjects and one of the rules match. */
export const PolicyRulesWithSubjects = Schema.Struct({
  subjects: list(FlowSubject),
  resourceRules: opt(list(ResourcePolicyRule)),
  nonResourceRules: opt(list(NonResourcePolicyRule))
})
export interface PolicyRulesWithSubjects extends Schema.Schema.Type<typeof PolicyRulesWithSubjects> {}

export const FlowSchemaSpec = Schema.Struct({
  priorityLevelConfiguration: Named,
  /** Of the schemas that match a request, the one with the lowest precedence is used; among equals, the first by name. */
  matchingPrecedence: opt(Schema.Int),
  /** What distinguishes the flows of the schema. If it is absent, all requests of the schema are one flow. */
  distinguisherMethod: opt(Schema.Struct({ type: oneOf("ByUser", "ByNamespace") })),
  rules: opt(list(PolicyRulesWithSubjects))
})
export interface FlowSchemaSpec extends Schema.Schema.Type<typeof FlowSchemaSpec> {}

/** A condition of either kind of API Priority and Fairness. */
export const FlowControlCondition = Schema.Struct({
  type: opt(Schema.String),
  status: opt(Schema.String),
  lastTransitionTime: opt(Schema.NullOr(Time)),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface FlowControlCondition extends Schema.Schema.Type<typeof FlowControlCondition> {}

const Status = Schema.Struct({ conditions: opt(list(FlowControlCondition)) })

/** Assigns requests to priority levels. Cluster-scoped. */
export const FlowSchema = Schema.Struct({
  ...typed("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
  spec: opt(FlowSchemaSpec),
  status: opt(Status)
})
export interface FlowSchema extends Schema.Schema.Type<typeof FlowSchema> {}

export const QueuingConfiguration = Schema.Struct({
  queues: opt(Schema.Int),
  /** The number of queues that one flow may use. */
  handSize: opt(Schema.Int),
  /** The maximum number of requests waiting in one queue. */
  queueLengthLimit: opt(Schema.Int)
})
export interface QueuingConfiguration extends Schema.Schema.Type<typeof QueuingConfiguration> {}

export const LimitedPriorityLevelConfiguration = Schema.Struct({
  /** The level's share of the server's seats, relative to the sum over all levels. */
  nominalConcurrencyShares: opt(Schema.Int),
  /** What happens to a request when there is no free seat. */
  limitResponse: opt(Schema.Struct({ type: opt(oneOf("Queue", "Reject")), queuing: opt(QueuingConfiguration) })),
  /** The percentage of its seats that other levels may borrow. */
  lendablePercent: opt(Schema.Int),
  /** The percentage of its own seats that it may borrow in addition; without it there is no limit. */
  borrowingLimitPercent: opt(Schema.Int)
})
export interface LimitedPriorityLevelConfiguration
  extends Schema.Schema.Type<typeof LimitedPriorityLevelConfiguration> {}

export const ExemptPriorityLevelConfiguration = Schema.Struct({
  nominalConcurrencyShares: opt(Schema.Int),
  lendablePercent: opt(Schema.Int)
})

export const PriorityLevelConfigurationSpec = Schema.Struct({
  type: oneOf("Exempt", "Limited"),
  limited: opt(LimitedPriorityLevelConfiguration),
  exempt: opt(ExemptPriorityLevelConfiguration)
})
export interface PriorityLevelConfigurationSpec extends Schema.Schema.Type<typeof PriorityLevelConfigurationSpec> {}

/** The number of requests of a priority level executed at a time, and how the others wait. Cluster-scoped. */
export const PriorityLevelConfiguration = Schema.Struct({
  ...typed("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"),
  spec: opt(PriorityLevelConfigurationSpec),
  status: opt(Status)
})
export interface PriorityLevelConfiguration extends Schema.Schema.Type<typeof PriorityLevelConfiguration> {}
