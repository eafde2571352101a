import * as Schema from "effect/Schema"
import { list, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Time } from "./Scalars.ts"

export const CertificateSigningRequestCondition = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  reason: opt(Schema.String),
  message: opt(Schema.String),
  lastUpdateTime: opt(Schema.NullOr(Time)),
  lastTransitionTime: opt(Schema.NullOr(Time))
})
export interface CertificateSigningRequestCondition
  extends Schema.Schema.Type<typeof CertificateSigningRequestCondition> {}

export const CertificateSigningRequestSpec = Schema.Struct({
  request: Schema.NullOr(Schema.String),
  signerName: Schema.String,
  expirationSeconds: opt(Schema.Int),
  usages: opt(list(Schema.String)),
  username: opt(Schema.String),
  uid: opt(Schema.String),
  groups: opt(list(Schema.String)),
  extra: opt(Schema.Record(Schema.String, list(Schema.String)))
})
export interface CertificateSigningRequestSpec extends Schema.Schema.Type<typeof CertificateSigningRequestSpec> {}

export const CertificateSigningRequestStatus = Schema.Struct({
  conditions: opt(list(CertificateSigningRequestCondition)),
  certificate: opt(Schema.String)
})
export interface CertificateSigningRequestStatus extends Schema.Schema.Type<typeof CertificateSigningRequestStatus> {}

/** A request for a certificate. Cluster-scoped. */
export const CertificateSigningRequest = Schema.Struct({
  ...typed("certificates.k8s.io/v1", "CertificateSigningRequest"),
  spec: CertificateSigningRequestSpec,
  status: opt(CertificateSigningRequestStatus)
})
export interface CertificateSigningRequest extends Schema.Schema.Type<typeof CertificateSigningRequest> {}
