import type { KubeObject } from "../objects/Meta.ts"
import type { ResourceQuota } from "../objects/Quota.ts"
import { type Amounts, formatAmounts } from "../PodResources.ts"
import { amountOf, zeroQuantity } from "../quantity/Quantity.ts"
import { type Evaluator, type QuotaView, scopeRequirements } from "./Evaluator.ts"
import { addLists, equalLists, maskList } from "./lists.ts"

/** A resource that quotas count, and all objects of it in the namespace. */
export interface CountedObjects {
  readonly evaluator: Evaluator
  readonly objects: Iterable<KubeObject>
}

/**
 * Returns what the objects of a namespace use of a quota: of each of its limits that something can use. Upstream:
 * quota/v1/resources.go, CalculateUsage; quota/v1/generic/evaluator.go, CalculateUsageStats.
 */
export const quotaUsage = (quota: ResourceQuota, counted: ReadonlyArray<CountedObjects>, view: QuotaView): Amounts => {
  const requirements = scopeRequirements(quota)
  const limited = Object.keys(quota.spec?.hard ?? {})
  let usage: Amounts = {}
  for (const { evaluator, objects } of counted) {
    const names = evaluator.matching(limited, view)
    if (names.length === 0) continue
    let used: Amounts = Object.fromEntries(names.map((name) => [name, zeroQuantity]))
    for (const object of objects) {
      if (!requirements.every((requirement) => evaluator.matchesScope(requirement, object))) continue
      used = addLists(used, maskList(evaluator.usage(object, view), names))
    }
    usage = addLists(usage, used)
  }
  return maskList(usage, limited)
}

/**
 * Returns the status of a quota with what is used now; undefined if it has that already. Limits that nothing counts keep
 * what was written there. Upstream: pkg/controller/resourcequota/resource_quota_controller.go, syncResourceQuota.
 */
export const quotaStatus = (quota: ResourceQuota, usage: Amounts): ResourceQuota["status"] => {
  const hard = quota.spec?.hard ?? {}
  const { hard: shownHard, used: shownUsed } = quota.status ?? {}
  const shown: Amounts = Object.fromEntries(
    Object.entries(shownUsed ?? {}).map(([name, amount]) => [name, amountOf(amount)])
  )
  const used = maskList({ ...shown, ...usage }, Object.keys(hard))
  const isCurrent =
    shownHard !== undefined && shownUsed !== undefined && equalLists(hard, shownHard) && equalLists(used, shownUsed)
  return isCurrent ? undefined : { hard, used: formatAmounts(used) }
}
