import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/authorization/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const authorization: Table = {
  package: "io.k8s.api.authorization.v1",
  group: "authorization.k8s.io",
  messages: `
LocalSubjectAccessReview kind # Asks whether a user is allowed a request in one namespace.
  metadata 1 meta.ObjectMeta byValue
  spec 2 SubjectAccessReviewSpec required byValue
  status 3 SubjectAccessReviewStatus byValue
FieldSelectorAttributes
  rawSelector 1 string
  requirements 2 []meta.FieldSelectorRequirement
LabelSelectorAttributes
  rawSelector 1 string
  requirements 2 []meta.LabelSelectorRequirement
NonResourceAttributes
  path 1 string
  verb 2 string
NonResourceRule
  verbs 1 []string required
  nonResourceURLs 2 []string
ResourceAttributes
  namespace 1 string
  verb 2 string
  group 3 string
  version 4 string
  resource 5 string
  subresource 6 string
  name 7 string
  fieldSelector 8 FieldSelectorAttributes
  labelSelector 9 LabelSelectorAttributes
ResourceRule
  verbs 1 []string required
  apiGroups 2 []string
  resources 3 []string
  resourceNames 4 []string
SelfSubjectAccessReview kind # Asks whether the caller is allowed a request.
  metadata 1 meta.ObjectMeta byValue
  spec 2 SelfSubjectAccessReviewSpec required byValue
  status 3 SubjectAccessReviewStatus byValue
SelfSubjectAccessReviewSpec
  resourceAttributes 1 ResourceAttributes
  nonResourceAttributes 2 NonResourceAttributes
SelfSubjectRulesReview kind # Asks for the caller's permissions in one namespace.
  metadata 1 meta.ObjectMeta byValue
  spec 2 SelfSubjectRulesReviewSpec required byValue
  status 3 SubjectRulesReviewStatus byValue
SelfSubjectRulesReviewSpec
  namespace 1 string
SubjectAccessReview kind # Asks whether a user is allowed a request.
  metadata 1 meta.ObjectMeta byValue
  spec 2 SubjectAccessReviewSpec required byValue
  status 3 SubjectAccessReviewStatus byValue
SubjectAccessReviewSpec
  resourceAttributes 1 ResourceAttributes
  nonResourceAttributes 2 NonResourceAttributes
  user 3 string
  groups 4 []string
  extra 5 map[string][]string
  uid 6 string
SubjectAccessReviewStatus
  allowed 1 bool required
  denied 4 bool
  reason 2 string
  evaluationError 3 string
SubjectRulesReviewStatus
  resourceRules 1 []ResourceRule required
  nonResourceRules 2 []NonResourceRule required
  incomplete 3 bool required
  evaluationError 4 string
`
}
