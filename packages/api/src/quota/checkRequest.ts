import type { ResourceQuota } from "../objects/Quota.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { type Amounts, formatAmounts } from "../PodResources.ts"
import { formatQuantity, signOf } from "../quantity/Quantity.ts"
import { type Evaluator, type QuotaView, type QuotaWrite, scopeRequirements } from "./Evaluator.ts"
import {
  addLists,
  equalLists,
  exceededNames,
  maskList,
  type Quantities,
  subtractToZero,
  withoutZeros
} from "./lists.ts"

/** The quotas as they are when the write has been made, in the order given; or why it may not be made. */
export type QuotaDecision = { readonly quotas: ReadonlyArray<ResourceQuota> } | { readonly refusal: string }

const textOf = (amounts: Quantities): string =>
  Object.entries(amounts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",")

const namesText = (names: ReadonlyArray<string>): string => [...names].sort().join(",")

const hardOf = ({ status }: ResourceQuota): ResourceList => status?.hard ?? {}
const usedOf = ({ status }: ResourceQuota): ResourceList => status?.used ?? {}
const nameOf = ({ metadata }: ResourceQuota): string => metadata.name ?? ""

/** Whether a quota limits something that the object uses, and its scopes accept the object. */
export const quotaMatches = (
  quota: ResourceQuota,
  evaluator: Evaluator,
  object: QuotaWrite["object"],
  view: QuotaView
): boolean =>
  evaluator.matching(Object.keys(hardOf(quota)), view).length > 0 &&
  scopeRequirements(quota).every((requirement) => evaluator.matchesScope(requirement, object))

/** Returns why a quota that matches refuses the object before its use is counted, or undefined. */
const faultOf = (
  quota: ResourceQuota,
  evaluator: Evaluator,
  object: QuotaWrite["object"],
  view: QuotaView
): string | undefined => {
  const limited = evaluator.matching(Object.keys(hardOf(quota)), view)
  const missing = evaluator.missing?.(limited, object)
  if (missing !== undefined) return `failed quota: ${nameOf(quota)}: ${missing}`
  if (limited.every((name) => usedOf(quota)[name] !== undefined)) return undefined
  return `status unknown for quota: ${nameOf(quota)}, resources: ${namesText(limited)}`
}

/** Returns the quota with what the write adds, or why that is too much. Writes of a status are never too much. */
const charge = (quota: ResourceQuota, delta: Amounts, subresource: string | undefined): ResourceQuota | string => {
  const hard = hardOf(quota)
  const used = usedOf(quota)
  const requested = maskList(delta, Object.keys(hard))
  const next = addLists(used, requested)
  const exceeded = subresource === "status" ? [] : exceededNames(maskList(next, Object.keys(requested)), hard)
  if (exceeded.length === 0) return { ...quota, status: { ...quota.status, used: formatAmounts(next) } }
  const parts = [
    `exceeded quota: ${nameOf(quota)}`,
    `requested: ${textOf(maskList(requested, exceeded))}`,
    `used: ${textOf(maskList(used, exceeded))}`,
    `limited: ${textOf(maskList(hard, exceeded))}`
  ]
  return parts.join(", ")
}

/**
 * Decides whether a write keeps all quotas of its namespace, and what they have used then. A quota that the write does
 * not change is returned as it is. Upstream: apiserver/pkg/admission/plugin/resourcequota/controller.go, CheckRequest.
 */
export const checkRequest = (
  quotas: ReadonlyArray<ResourceQuota>,
  write: QuotaWrite,
  evaluator: Evaluator,
  view: QuotaView
): QuotaDecision => {
  const { object, oldObject, subresource, verb } = write
  const matching = quotas.filter((quota) => quotaMatches(quota, evaluator, object, view))
  for (const quota of matching) {
    const fault = faultOf(quota, evaluator, object, view)
    if (fault !== undefined) return { refusal: fault }
  }
  const usage = evaluator.usage(object, view)
  const negative = Object.keys(usage).filter((name) => signOf(usage[name] ?? 0) < 0)
  if (negative.length > 0) return { refusal: `quota usage is negative for resource(s): ${namesText(negative)}` }
  const before = verb === "update" && oldObject !== undefined ? oldObject : undefined
  const change = before === undefined ? usage : subtractToZero(usage, evaluator.usage(before, view))
  const after: Array<ResourceQuota> = []
  for (const quota of quotas) {
    const isCharged = matching.includes(quota)
    // An object that comes into the scope of a quota is new to it.
    const delta = isCharged
      ? withoutZeros(before !== undefined && quotaMatches(quota, evaluator, before, view) ? change : usage)
      : {}
    const charged = Object.keys(delta).length === 0 ? quota : charge(quota, delta, subresource)
    if (typeof charged === "string") return { refusal: charged }
    after.push(charged)
  }
  return { quotas: after }
}

/** Whether both states of a quota have used the same. */
export const hasSameUse = (quota: ResourceQuota, other: ResourceQuota): boolean =>
  quota === other || equalLists(usedOf(quota), usedOf(other))
