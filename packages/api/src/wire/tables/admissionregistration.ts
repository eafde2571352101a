import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/admissionregistration/v1/{types.go,generated.proto}. The notation: ../Table.ts. */
export const admissionregistration: Table = {
  package: "io.k8s.api.admissionregistration.v1",
  group: "admissionregistration.k8s.io",
  messages: `
ValidatingAdmissionPolicy kind hasList # A policy that accepts or rejects requests by expressions in CEL, without changing objects.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ValidatingAdmissionPolicySpec byValue
  status 3 ValidatingAdmissionPolicyStatus byValue
ValidatingAdmissionPolicySpec
  paramKind 1 ParamKind # The kind of the objects with parameters of the policy; without it there are none.
  matchConstraints 2 MatchResources # The requests that the policy applies to.
  validations 3 []Validation listType=atomic # The expressions that must be true; required if there are no auditAnnotations.
  failurePolicy 4 string pointer enum=Fail|Ignore # Whether requests fail if the policy cannot be evaluated: Fail, or Ignore. Fail if absent.
  auditAnnotations 5 []AuditAnnotation listType=atomic # Annotations of audit events.
  matchConditions 6 []MatchCondition listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # Expressions that must all be true for the policy to apply.
  variables 7 []Variable listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # Expressions that others use by name. Each may use those before it.
ParamKind structType=atomic
  apiVersion 1 string # The group and version, as group/version.
  kind 2 string
Validation
  expression 1 string required # An expression in CEL over object, oldObject, request, params, namespaceObject, variables and authorizer.
  message 2 string # What clients are told if the expression is false.
  reason 3 string pointer # The reason of the error: Invalid if absent.
  messageExpression 4 string # An expression whose text clients are told instead of the message.
Variable structType=atomic
  name 1 string required # The name, a CEL identifier: others use it as variables.name.
  expression 2 string required
AuditAnnotation
  key 1 string required # The second part of the annotation's key, after the name of the policy.
  valueExpression 2 string required # An expression whose text is the value; null for no annotation.
MatchCondition
  name 1 string required # A name for messages and metrics.
  expression 2 string required # An expression in CEL that must be true.
MatchResources structType=atomic
  namespaceSelector 1 meta.LabelSelector # Selects namespaces by their labels; for a Namespace, its own labels count.
  objectSelector 2 meta.LabelSelector # Selects objects by their labels: the new state, or the old one.
  resourceRules 3 []NamedRuleWithOperations listType=atomic # The operations and resources that match.
  excludeResourceRules 4 []NamedRuleWithOperations listType=atomic # The operations and resources that do not match.
  matchPolicy 7 string pointer enum=Equivalent|Exact # Whether other versions of a resource match too: Exact, or Equivalent.
NamedRuleWithOperations structType=atomic embeds=RuleWithOperations.Rule
  resourceNames 1 []string listType=atomic # The names of the objects; all if it is empty.
  operations 2.1 []string listType=atomic enum=*|CONNECT|CREATE|DELETE|UPDATE # CREATE, UPDATE, DELETE, CONNECT, or an asterisk for all.
  apiGroups 2.2.1 []string listType=atomic
  apiVersions 2.2.2 []string listType=atomic
  resources 2.2.3 []string listType=atomic # Resources, with their subresources: pods, pods/log, pods/*, */scale.
  scope 2.2.4 string pointer enum=*|Cluster|Namespaced # Cluster, Namespaced, or an asterisk for both.
RuleWithOperations embeds=Rule
  operations 1 []string listType=atomic enum=*|CONNECT|CREATE|DELETE|UPDATE # CREATE, UPDATE, DELETE, CONNECT, or an asterisk for all.
  apiGroups 2.1 []string listType=atomic
  apiVersions 2.2 []string listType=atomic
  resources 2.3 []string listType=atomic # Resources, with their subresources: pods, pods/log, pods/*, */scale.
  scope 2.4 string pointer enum=*|Cluster|Namespaced # Cluster, Namespaced, or an asterisk for both.
ValidatingAdmissionPolicyStatus
  observedGeneration 1 int64
  typeChecking 2 TypeChecking # What the check of types found.
  conditions 3 []meta.Condition listType=map listMapKeys=type
TypeChecking
  expressionWarnings 1 []ExpressionWarning listType=atomic
ExpressionWarning
  fieldRef 2 string required # The path of the expression: spec.validations[0].expression.
  warning 3 string required # What is wrong with its types.
ValidatingAdmissionPolicyBinding kind hasList # Binds a policy to parameters, and says what happens if it rejects a request.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ValidatingAdmissionPolicyBindingSpec required byValue
ValidatingAdmissionPolicyBindingSpec
  policyName 1 string required omitEmpty # The name of the policy.
  paramRef 2 ParamRef # The parameters.
  matchResources 3 MatchResources # Restricts the requests of the policy further.
  validationActions 4 []string required omitEmpty listType=set enum=Audit|Deny|Warn # Deny, Warn or Audit.
ParamRef structType=atomic
  name 1 string # The name of the object with parameters.
  namespace 2 string # Its namespace; that of the request if absent.
  selector 3 meta.LabelSelector # Selects several objects with parameters by their labels.
  parameterNotFoundAction 4 string pointer # Whether requests are allowed if there are no parameters: Allow, or Deny.
MutatingAdmissionPolicy kind hasList # A policy that changes objects by expressions in CEL.
  metadata 1 meta.ObjectMeta byValue
  spec 2 MutatingAdmissionPolicySpec byValue
MutatingAdmissionPolicySpec
  paramKind 1 ParamKind # The kind of the objects with parameters of the policy; without it there are none.
  matchConstraints 2 MatchResources # The requests that the policy applies to: CREATE, UPDATE and CONNECT.
  variables 3 []Variable listType=atomic # Expressions that others use by name. Each may use those before it.
  mutations 4 []Mutation listType=atomic # The changes, one after the other.
  failurePolicy 5 string pointer enum=Fail|Ignore # Whether requests fail if the policy cannot be evaluated: Fail, or Ignore. Fail if absent.
  matchConditions 6 []MatchCondition listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # Expressions that must all be true for the policy to apply.
  reinvocationPolicy 7 string enum=IfNeeded|Never # Whether the policy is evaluated again after later changes: Never, or IfNeeded.
Mutation
  patchType 2 string required enum=ApplyConfiguration|JSONPatch # ApplyConfiguration, or JSONPatch.
  applyConfiguration 3 ApplyConfiguration
  jsonPatch 4 JSONPatch
ApplyConfiguration
  expression 1 string # An expression that makes an object, which is applied as server-side apply does.
JSONPatch
  expression 1 string # An expression that makes a list of operations of a JSON patch.
MutatingAdmissionPolicyBinding kind hasList # Binds a policy to parameters.
  metadata 1 meta.ObjectMeta byValue
  spec 2 MutatingAdmissionPolicyBindingSpec byValue
MutatingAdmissionPolicyBindingSpec
  policyName 1 string # The name of the policy.
  paramRef 2 ParamRef # The parameters.
  matchResources 3 MatchResources # Restricts the requests of the policy further.
ValidatingWebhookConfiguration kind hasList # Webhooks that accept or reject requests, without changing objects.
  metadata 1 meta.ObjectMeta byValue
  webhooks 2 []ValidatingWebhook listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
ValidatingWebhook
  name 1 string required # The name, a domain with three parts or more.
  clientConfig 2 WebhookClientConfig required byValue # How the webhook is called.
  rules 3 []RuleWithOperations listType=atomic # The operations and resources that the webhook is called for.
  failurePolicy 4 string pointer enum=Fail|Ignore # What happens if the call fails: Fail, or Ignore. Fail if absent.
  matchPolicy 9 string pointer enum=Equivalent|Exact # Whether other versions of a resource match too: Exact, or Equivalent.
  namespaceSelector 5 meta.LabelSelector # Selects namespaces by their labels; for a Namespace, its own labels count.
  objectSelector 10 meta.LabelSelector # Selects objects by their labels: the new state, or the old one.
  sideEffects 6 string pointer required enum=None|NoneOnDryRun|Some|Unknown # None, or NoneOnDryRun.
  timeoutSeconds 7 int32 pointer # How long a call may take: 1 to 30 seconds, 10 if absent.
  admissionReviewVersions 8 []string required listType=atomic # The versions of AdmissionReview that the webhook understands, the preferred one first.
  matchConditions 11 []MatchCondition listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # Expressions that must all be true for the webhook to be called.
MutatingWebhookConfiguration kind hasList # Webhooks that accept or reject requests, and may change objects.
  metadata 1 meta.ObjectMeta byValue
  webhooks 2 []MutatingWebhook listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
MutatingWebhook
  name 1 string required # The name, a domain with three parts or more.
  clientConfig 2 WebhookClientConfig required byValue # How the webhook is called.
  rules 3 []RuleWithOperations listType=atomic # The operations and resources that the webhook is called for.
  failurePolicy 4 string pointer enum=Fail|Ignore # What happens if the call fails: Fail, or Ignore. Fail if absent.
  matchPolicy 9 string pointer enum=Equivalent|Exact # Whether other versions of a resource match too: Exact, or Equivalent.
  namespaceSelector 5 meta.LabelSelector # Selects namespaces by their labels; for a Namespace, its own labels count.
  objectSelector 11 meta.LabelSelector # Selects objects by their labels: the new state, or the old one.
  sideEffects 6 string pointer required enum=None|NoneOnDryRun|Some|Unknown # None, or NoneOnDryRun.
  timeoutSeconds 7 int32 pointer # How long a call may take: 1 to 30 seconds, 10 if absent.
  admissionReviewVersions 8 []string required listType=atomic # The versions of AdmissionReview that the webhook understands, the preferred one first.
  reinvocationPolicy 10 string pointer enum=IfNeeded|Never # Whether the webhook is called again after later changes: Never, or IfNeeded.
  matchConditions 12 []MatchCondition listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # Expressions that must all be true for the webhook to be called.
WebhookClientConfig
  url 3 string pointer # The URL of the webhook, if it is not a service.
  service 1 ServiceReference # The service of the webhook.
  caBundle 2 bytes # The certificates that the webhook's certificate is verified by, in PEM.
ServiceReference
  namespace 1 string required
  name 2 string required
  path 3 string pointer # The path of requests.
  port 4 int32 pointer # The port of the service: 443 if absent.
`
}
