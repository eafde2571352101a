import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/authentication/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const authentication: Table = {
  package: "io.k8s.api.authentication.v1",
  group: "authentication.k8s.io",
  text: `
TokenRequest kind # Requests a token for a service account.
  metadata 1 meta.ObjectMeta &
  spec 2 TokenRequestSpec &
  status 3 TokenRequestStatus &
TokenRequestSpec
  audiences 1 []string
  expirationSeconds 4 int64 0 *
  boundObjectRef 3 BoundObjectReference 0
BoundObjectReference
  kind 1 string
  apiVersion 2 string
  name 3 string
  uid 4 string
TokenRequestStatus
  token 1 string
  expirationTimestamp 2 Time
SelfSubjectReview kind # Asks for the identity of the caller.
  metadata 1 meta.ObjectMeta &
  status 2 SelfSubjectReviewStatus &
SelfSubjectReviewStatus
  userInfo 1 UserInfo &
TokenReview kind # Asks for the user of a token.
  metadata 1 meta.ObjectMeta &
  spec 2 TokenReviewSpec ! &
  status 3 TokenReviewStatus &
TokenReviewSpec
  token 1 string !
  audiences 2 []string
TokenReviewStatus
  authenticated 1 bool
  user 2 UserInfo &
  error 3 string
  audiences 4 []string
UserInfo
  username 1 string
  uid 2 string
  groups 3 []string
  extra 4 {}[]string
`
}
