import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Condition, LabelSelector } from "./Meta.ts"

const group = "admissionregistration.k8s.io/v1"

/** The operations and resources that a policy or webhook handles. */
export const RuleWithOperations = Schema.Struct({
  operations: opt(list(Schema.String)),
  apiGroups: opt(list(Schema.String)),
  apiVersions: opt(list(Schema.String)),
  resources: opt(list(Schema.String)),
  scope: opt(oneOf("Cluster", "Namespaced", "*"))
})
export interface RuleWithOperations extends Schema.Schema.Type<typeof RuleWithOperations> {}

export const NamedRuleWithOperations = Schema.Struct({
  resourceNames: opt(list(Schema.String)),
  ...RuleWithOperations.fields
})
export interface NamedRuleWithOperations extends Schema.Schema.Type<typeof NamedRuleWithOperations> {}

export const MatchResources = Schema.Struct({
  namespaceSelector: opt(LabelSelector),
  objectSelector: opt(LabelSelector),
  resourceRules: opt(list(NamedRuleWithOperations)),
  excludeResourceRules: opt(list(NamedRuleWithOperations)),
  matchPolicy: opt(oneOf("Exact", "Equivalent"))
})
export interface MatchResources extends Schema.Schema.Type<typeof MatchResources> {}

export const MatchCondition = Schema.Struct({ name: Schema.String, expression: Schema.String })
export interface MatchCondition extends Schema.Schema.Type<typeof MatchCondition> {}

export const ParamKind = Schema.Struct({ apiVersion: opt(Schema.String), kind: opt(Schema.String) })
export interface ParamKind extends Schema.Schema.Type<typeof ParamKind> {}

export const ParamRef = Schema.Struct({
  name: opt(Schema.String),
  namespace: opt(Schema.String),
  selector: opt(LabelSelector),
  parameterNotFoundAction: opt(oneOf("Allow", "Deny"))
})
export interface ParamRef extends Schema.Schema.Type<typeof ParamRef> {}

export const Validation = Schema.Struct({
  expression: Schema.String,
  message: opt(Schema.String),
  reason: opt(Schema.String),
  messageExpression: opt(Schema.String)
})
export interface Validation extends Schema.Schema.Type<typeof Validation> {}

export const Variable = Schema.Struct({ name: Schema.String, expression: Schema.String })
export interface Variable extends Schema.Schema.Type<typeof Variable> {}

export const AuditAnnotation = Schema.Struct({ key: Schema.String, valueExpression: Schema.String })
export interface AuditAnnotation extends Schema.Schema.Type<typeof AuditAnnotation> {}

/** What the two kinds of policies share. */
const policyFields = {
  paramKind: opt(ParamKind),
  matchConstraints: opt(MatchResources),
  matchConditions: opt(list(MatchCondition)),
  variables: opt(list(Variable)),
  failurePolicy: opt(oneOf("Fail", "Ignore"))
}

export const ValidatingAdmissionPolicySpec = Schema.Struct({
  ...policyFields,
  validations: opt(list(Validation)),
  auditAnnotations: opt(list(AuditAnnotation))
})
export interface ValidatingAdmissionPolicySpec extends Schema.Schema.Type<typeof ValidatingAdmissionPolicySpec> {}

export const ExpressionWarning = Schema.Struct({ fieldRef: Schema.String, warning: Schema.String })
export interface ExpressionWarning extends Schema.Schema.Type<typeof ExpressionWarning> {}

export const ValidatingAdmissionPolicyStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  typeChecking: opt(Schema.Struct({ expressionWarnings: opt(list(ExpressionWarning)) })),
  conditions: opt(list(Condition))
})
export interface ValidatingAdmissionPolicyStatus extends Schema.Schema.Type<typeof ValidatingAdmissionPolicyStatus> {}

/** A policy that accepts or rejects requests by expressions. Cluster-scoped. */
export const ValidatingAdmissionPolicy = Schema.Struct({
  ...typed(group, "ValidatingAdmissionPolicy"),
  spec: opt(ValidatingAdmissionPolicySpec),
  status: opt(ValidatingAdmissionPolicyStatus)
})
export interface ValidatingAdmissionPolicy extends Schema.Schema.Type<typeof ValidatingAdmissionPolicy> {}

const bindingFields = {
  policyName: opt(Schema.String),
  paramRef: opt(ParamRef),
  matchResources: opt(MatchResources)
}

/** Binds a policy to parameters. Cluster-scoped. */
export const ValidatingAdmissionPolicyBinding = Schema.Struct({
  ...typed(group, "ValidatingAdmissionPolicyBinding"),
  spec: opt(Schema.Struct({ ...bindingFields, validationActions: opt(list(oneOf("Audit", "Deny", "Warn"))) }))
})
export interface ValidatingAdmissionPolicyBinding extends Schema.Schema.Type<typeof ValidatingAdmissionPolicyBinding> {}

const Expression = Schema.Struct({ expression: opt(Schema.String) })

export const Mutation = Schema.Struct({
  patchType: oneOf("ApplyConfiguration", "JSONPatch"),
  applyConfiguration: opt(Expression),
  jsonPatch: opt(Expression)
})
export interface Mutation extends Schema.Schema.Type<typeof Mutation> {}

export const MutatingAdmissionPolicySpec = Schema.Struct({
  ...policyFields,
  mutations: opt(list(Mutation)),
  reinvocationPolicy: opt(oneOf("IfNeeded", "Never"))
})
export interface MutatingAdmissionPolicySpec extends Schema.Schema.Type<typeof MutatingAdmissionPolicySpec> {}

/** A policy that changes objects by expressions. Cluster-scoped. */
export const MutatingAdmissionPolicy = Schema.Struct({
  ...typed(group, "MutatingAdmissionPolicy"),
  spec: opt(MutatingAdmissionPolicySpec)
})
export interface MutatingAdmissionPolicy extends Schema.Schema.Type<typeof MutatingAdmissionPolicy> {}

/** Binds a policy to parameters. Cluster-scoped. */
export const MutatingAdmissionPolicyBinding = Schema.Struct({
  ...typed(group, "MutatingAdmissionPolicyBinding"),
  spec: opt(Schema.Struct(bindingFields))
})
export interface MutatingAdmissionPolicyBinding extends Schema.Schema.Type<typeof MutatingAdmissionPolicyBinding> {}

export const WebhookClientConfig = Schema.Struct({
  url: opt(Schema.String),
  service: opt(
    Schema.Struct({
      namespace: Schema.String,
      name: Schema.String,
      path: opt(Schema.String),
      port: opt(Schema.Int)
    })
  ),
  caBundle: opt(Schema.String)
})
export interface WebhookClientConfig extends Schema.Schema.Type<typeof WebhookClientConfig> {}

export const ValidatingWebhook = Schema.Struct({
  name: Schema.String,
  clientConfig: WebhookClientConfig,
  rules: opt(list(RuleWithOperations)),
  failurePolicy: opt(oneOf("Fail", "Ignore")),
  matchPolicy: opt(oneOf("Exact", "Equivalent")),
  namespaceSelector: opt(LabelSelector),
  objectSelector: opt(LabelSelector),
  sideEffects: opt(oneOf("None", "NoneOnDryRun", "Some", "Unknown")),
  timeoutSeconds: opt(Schema.Int),
  admissionReviewVersions: opt(list(Schema.String)),
  matchConditions: opt(list(MatchCondition))
})
export interface ValidatingWebhook extends Schema.Schema.Type<typeof ValidatingWebhook> {}

export const MutatingWebhook = Schema.Struct({
  ...ValidatingWebhook.fields,
  reinvocationPolicy: opt(oneOf("IfNeeded", "Never"))
})
export interface MutatingWebhook extends Schema.Schema.Type<typeof MutatingWebhook> {}

/** Webhooks that accept or reject requests. Cluster-scoped. */
export const ValidatingWebhookConfiguration = Schema.Struct({
  ...typed(group, "ValidatingWebhookConfiguration"),
  webhooks: opt(list(ValidatingWebhook))
})
export interface ValidatingWebhookConfiguration extends Schema.Schema.Type<typeof ValidatingWebhookConfiguration> {}

/** Webhooks that may change objects. Cluster-scoped. */
export const MutatingWebhookConfiguration = Schema.Struct({
  ...typed(group, "MutatingWebhookConfiguration"),
  webhooks: opt(list(MutatingWebhook))
})
export interface MutatingWebhookConfiguration extends Schema.Schema.Type<typeof MutatingWebhookConfiguration> {}
