import { memberOf } from "../memberOf.ts"
import type { LimitRange, LimitRangeItem, ResourceQuota } from "../objects/Quota.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { mapItems, withFields } from "./fill.ts"
import { roundedAmounts } from "./resourceList.ts"

/** Returns the amounts, completed by others; the same amounts if they lack none. */
const completed = (amounts: ResourceList | undefined, ...others: ReadonlyArray<ResourceList | undefined>) => {
  const missing = others
    .flatMap((other) => Object.keys(other ?? {}))
    .some((name) => memberOf(amounts, name) === undefined)
  return missing ? Object.assign({}, ...others.toReversed(), amounts) : amounts
}

/** A container's limits default to the maxima, and its requests to the limits, then to the minima. */
const withLimits = (item: LimitRangeItem): LimitRangeItem => {
  if (item.type !== "Container") return item
  const limits = completed(item.default, item.max)
  return withFields(item, { default: limits, defaultRequest: completed(item.defaultRequest, limits, item.min) })
}

const completeItem = (given: LimitRangeItem): LimitRangeItem => {
  const item = withLimits(given)
  return withFields(item, {
    max: roundedAmounts(item.max),
    min: roundedAmounts(item.min),
    default: roundedAmounts(item.default),
    defaultRequest: roundedAmounts(item.defaultRequest),
    maxLimitRequestRatio: roundedAmounts(item.maxLimitRequestRatio)
  })
}

/** Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem. */
export const defaultLimitRange = (range: LimitRange): LimitRange => {
  const { limits } = range.spec ?? {}
  return limits === undefined
    ? range
    : withFields(range, { spec: withFields(range.spec ?? {}, { limits: mapItems(limits, completeItem) }) })
}

export const defaultResourceQuota = (quota: ResourceQuota): ResourceQuota => {
  const { spec = {}, status = {} } = quota
  return withFields(quota, {
    spec: withFields(spec, { hard: roundedAmounts(spec.hard) }),
    status: withFields(status, { hard: roundedAmounts(status.hard), used: roundedAmounts(status.used) })
  })
}
