import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { ResourceList } from "./Scalars.ts"

export const LimitRangeItem = Schema.Struct({
  type: oneOf("Container", "PersistentVolumeClaim", "Pod"),
  max: opt(ResourceList),
  min: opt(ResourceList),
  default: opt(ResourceList),
  defaultRequest: opt(ResourceList),
  maxLimitRequestRatio: opt(ResourceList)
})
export interface LimitRangeItem extends Schema.Schema.Type<typeof LimitRangeItem> {}

/** The resources that objects of a namespace may and do request by default. */
export const LimitRange = Schema.Struct({
  ...typed("v1", "LimitRange"),
  spec: opt(Schema.Struct({ limits: opt(list(LimitRangeItem)) }))
})
export interface LimitRange extends Schema.Schema.Type<typeof LimitRange> {}

const ScopeRequirement = Schema.Struct({
  scopeName: Schema.String,
  operator: oneOf("In", "NotIn", "Exists", "DoesNotExist"),
  values: opt(list(Schema.String))
})

export const ResourceQuotaSpec = Schema.Struct({
  hard: opt(ResourceList),
  scopes: opt(list(Schema.String)),
  scopeSelector: opt(Schema.Struct({ matchExpressions: opt(list(ScopeRequirement)) }))
})
export interface ResourceQuotaSpec extends Schema.Schema.Type<typeof ResourceQuotaSpec> {}

/** How much of each resource the objects of a namespace may use together. */
export const ResourceQuota = Schema.Struct({
  ...typed("v1", "ResourceQuota"),
  spec: opt(ResourceQuotaSpec),
  status: opt(Schema.Struct({ hard: opt(ResourceList), used: opt(ResourceList) }))
})
export interface ResourceQuota extends Schema.Schema.Type<typeof ResourceQuota> {}
