import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/authentication/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const authentication: Table = {
  package: "io.k8s.api.authentication.v1",
  group: "authentication.k8s.io",
  messages: `
TokenRequest kind # Requests a token for a service account.
  metadata 1 meta.ObjectMeta byValue
  spec 2 TokenRequestSpec byValue
  status 3 TokenRequestStatus byValue
TokenRequestSpec
  audiences 1 []string noOmitEmpty
  expirationSeconds 4 int64 noOmitEmpty pointer
  boundObjectRef 3 BoundObjectReference noOmitEmpty
BoundObjectReference
  kind 1 string
  apiVersion 2 string
  name 3 string
  uid 4 string
TokenRequestStatus
  token 1 string default="" noOmitEmpty
  expirationTimestamp 2 Time
SelfSubjectReview kind # Asks for the identity of the caller.
  metadata 1 meta.ObjectMeta byValue
  status 2 SelfSubjectReviewStatus byValue
SelfSubjectReviewStatus
  userInfo 1 UserInfo byValue
TokenReview kind # Asks for the user of a token.
  metadata 1 meta.ObjectMeta byValue
  spec 2 TokenReviewSpec required byValue
  status 3 TokenReviewStatus byValue
TokenReviewSpec
  token 1 string required omitEmpty
  audiences 2 []string
TokenReviewStatus
  authenticated 1 bool
  user 2 UserInfo byValue
  error 3 string
  audiences 4 []string
UserInfo
  username 1 string
  uid 2 string
  groups 3 []string
  extra 4 map[string][]string
`
}
