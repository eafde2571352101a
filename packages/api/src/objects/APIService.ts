import * as Schema from "effect/Schema"
import { list, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Time } from "./Scalars.ts"

export const APIServiceCondition = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  lastTransitionTime: opt(Schema.NullOr(Time)),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface APIServiceCondition extends Schema.Schema.Type<typeof APIServiceCondition> {}

export const APIServiceSpec = Schema.Struct({
  service: opt(Schema.Struct({ namespace: opt(Schema.String), name: opt(Schema.String), port: opt(Schema.Int) })),
  group: opt(Schema.String),
  version: opt(Schema.String),
  insecureSkipTLSVerify: opt(Schema.Boolean),
  caBundle: opt(Schema.NullOr(Schema.String)),
  groupPriorityMinimum: opt(Schema.Int),
  versionPriority: opt(Schema.Int)
})
export interface APIServiceSpec extends Schema.Schema.Type<typeof APIServiceSpec> {}

/** A version of a group of the API. Cluster-scoped. */
export const APIService = Schema.Struct({
  ...typed("apiregistration.k8s.io/v1", "APIService"),
  spec: opt(APIServiceSpec),
  status: opt(Schema.Struct({ conditions: opt(list(APIServiceCondition)) }))
})
export interface APIService extends Schema.Schema.Type<typeof APIService> {}
