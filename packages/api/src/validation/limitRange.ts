import { memberOf } from "../memberOf.ts"
import type { LimitRange, LimitRangeItem } from "../objects/Quota.ts"
import type { Quantity } from "../objects/Scalars.ts"
import { compareQuantity, formatQuantity, milliValue, value } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { makeRules } from "./makeRules.ts"
import { isQualifiedName } from "./names.ts"
import { allowsOvercommit, checkContainerResource, checkResourceName } from "./resources.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateLimitRange. */

const types = ["Pod", "Container", "PersistentVolumeClaim"]

const checkType = (errors: ErrorList, type: string, at: string): void => {
  const faults = isQualifiedName(type)
  errors.invalidEach(at, typed(type), faults)
  if (faults.length === 0 && !type.includes("/") && !types.includes(type)) {
    errors.invalid(at, typed(type), "must be a standard limit type or fully qualified")
  }
}

type List = "min" | "max" | "default" | "defaultRequest"

/** The pairs of lists of which one may not exceed the other; `shown` is the one whose amount the error shows. */
const orders: ReadonlyArray<readonly [low: List, high: List, at: List, shown: List]> = [
  ["min", "max", "min", "min"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest"],
  ["min", "default", "default", "min"],
  ["default", "max", "default", "max"]
]

const nameOf = (list: List, other: List): string => {
  if (list === "defaultRequest") return "default request"
  return list === "default" && other === "defaultRequest" ? "default limit" : list
}

const ratioLimit = (min: Quantity, max: Quantity, ratio: Quantity): readonly [ratio: number, limit: number] => {
  const amounts = [ratio, min, max] as const
  const isSmall = amounts.every((amount) => value(amount) < Math.floor(Number(2n ** 63n - 1n) / 1000))
  const [wanted, low, high] = amounts.map(isSmall ? milliValue : value) as [number, number, number]
  return [isSmall ? wanted / 1000 : wanted, high / low]
}

const checkRatio = (
  errors: ErrorList,
  { max, maxLimitRequestRatio, min }: LimitRangeItem,
  name: string,
  at: string
) => {
  const ratio = memberOf(maxLimitRequestRatio, name)
  if (ratio === undefined) return
  const path = `${at}.maxLimitRequestRatio[${name}]`
  const shown = formatQuantity(ratio)
  if (compareQuantity(ratio, "1") < 0) errors.invalid(path, shown, `ratio ${shown} is less than 1`)
  const [low, high] = [memberOf(min, name), memberOf(max, name)]
  if (low === undefined || high === undefined) return
  const [wanted, limit] = ratioLimit(low, high, ratio)
  if (wanted <= limit) return
  const text = Number.isFinite(limit) ? limit.toFixed(6) : Number.isNaN(limit) ? "NaN" : "+Inf"
  errors.invalid(path, shown, `ratio ${shown} is greater than max/min = ${text}`)
}

const checkAmounts = (errors: ErrorList, item: LimitRangeItem, name: string, at: string): void => {
  const amountOf = (list: List): Quantity | undefined =>
    item.type === "Pod" && list.startsWith("default") ? undefined : memberOf(item[list], name)
  for (const [low, high, field, shown] of orders) {
    const [lower, upper] = [amountOf(low), amountOf(high)]
    if (lower === undefined || upper === undefined || compareQuantity(lower, upper) <= 0) continue
    const text = `${nameOf(low, high)} value ${formatQuantity(lower)} is greater than ${nameOf(high, low)} value ${formatQuantity(upper)}`
    errors.invalid(`${at}.${field}[${name}]`, formatQuantity(shown === low ? lower : upper), text)
  }
  checkRatio(errors, item, name, at)
  const [limit, request] = [amountOf("default"), amountOf("defaultRequest")]
  if (allowsOvercommit(name) || limit === undefined || request === undefined) return
  if (compareQuantity(limit, request) === 0) return
  const shown = formatQuantity(request)
  const text = `default value ${formatQuantity(limit)} must equal to defaultRequest value ${shown} in ${name}`
  errors.invalid(`${at}.defaultRequest[${name}]`, shown, text)
}

const checkItem = (errors: ErrorList, item: LimitRangeItem, at: string): void => {
  const { type } = item
  const checkName = type === "Pod" || type === "Container" ? checkContainerResource : checkResourceName
  const names = new Set<string>()
  const checkNames = (list: List | "maxLimitRequestRatio"): void => {
    for (const name of Object.keys(item[list] ?? {}).sort()) {
      checkName(errors, name, `${at}.${list}[${name}]`)
      names.add(name)
    }
  }
  checkNames("max")
  checkNames("min")
  for (const list of ["default", "defaultRequest"] as const) {
    if (type !== "Pod") checkNames(list)
    else if (Object.keys(item[list] ?? {}).length > 0) {
      errors.forbidden(`${at}.${list}`, "may not be specified when `type` is 'Pod'")
    }
  }
  if (type === "PersistentVolumeClaim" && item.min?.storage === undefined && item.max?.storage === undefined) {
    errors.required(`${at}.limits`, "either minimum or maximum storage value is required, but neither was provided")
  }
  checkNames("maxLimitRequestRatio")
  for (const name of [...names].sort()) checkAmounts(errors, item, name, at)
}

export const limitRangeRules = makeRules<LimitRange>("Namespaced", {
  onUpdate: "object",
  check: (errors, { spec }) => {
    const seen = new Set<string>()
    spec?.limits?.forEach((item, index) => {
      const at = `spec.limits[${index}]`
      checkType(errors, item.type, `${at}.type`)
      if (seen.has(item.type)) errors.duplicate(`${at}.type`, typed(item.type))
      seen.add(item.type)
      checkItem(errors, item, at)
    })
  }
})
