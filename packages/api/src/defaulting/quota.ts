import type { LimitRange, LimitRangeItem, ResourceQuota } from "../objects/Quota.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { formatQuantity, roundUpQuantity } from "../quantity/Quantity.ts"
import { mapItems, withFields } from "./fill.ts"

/** Rounds amounts up to thousandths; the same amounts if they are such. Upstream: SetDefaults_ResourceList. */
const rounded = (amounts: ResourceList | undefined): ResourceList | undefined => {
  let changed: Record<string, ResourceList[string]> | undefined
  for (const [name, quantity] of Object.entries(amounts ?? {})) {
    const { amount, exact } = roundUpQuantity(quantity, -3)
    if (exact) continue
    changed ??= { ...amounts }
    changed[name] = formatQuantity(amount)
  }
  return changed ?? amounts
}

/** Returns the amounts, completed by others; the same amounts if they lack none. */
const completed = (amounts: ResourceList | undefined, ...others: ReadonlyArray<ResourceList | undefined>) => {
  const missing = others.flatMap((other) => Object.keys(other ?? {})).some((name) => amounts?.[name] === undefined)
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
    max: rounded(item.max),
    min: rounded(item.min),
    default: rounded(item.default),
    defaultRequest: rounded(item.defaultRequest),
    maxLimitRequestRatio: rounded(item.maxLimitRequestRatio)
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
    spec: withFields(spec, { hard: rounded(spec.hard) }),
    status: withFields(status, { hard: rounded(status.hard), used: rounded(status.used) })
  })
}
