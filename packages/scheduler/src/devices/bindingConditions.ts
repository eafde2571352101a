import { parseTime, type ResourceClaim } from "@rollcall/api"

/** What devices must report before a pod is bound to their node. Upstream: isClaimReadyForBinding, isClaimTimeout of dynamicresources.go. */

type Result = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>["devices"]>["results"]
>[number]

const resultsOf = ({ status }: ResourceClaim): ReadonlyArray<Result> => status?.allocation?.devices?.results ?? []

export const hasBindingConditions = (claim: ResourceClaim): boolean =>
  resultsOf(claim).some(({ bindingConditions = [] }) => bindingConditions.length > 0)

/** Whether the devices of a claim are ready, are not yet, or have failed, with the reason. */
export type Readiness = "Ready" | "Waiting" | { readonly failure: string }

/** What the drivers say of a claim's devices: one failure makes the claim fail. */
export const readinessOf = (claim: ResourceClaim): Readiness => {
  if (claim.status?.allocation === undefined) return "Waiting"
  for (const { bindingConditions = [], bindingFailureConditions = [], device, driver, pool } of resultsOf(claim)) {
    if (bindingConditions.length === 0) continue
    const reported = claim.status.devices?.find(
      (each) => each.device === device && each.driver === driver && each.pool === pool
    )
    if (reported === undefined) return "Waiting"
    const conditionOf = (type: string) => reported.conditions?.find((condition) => condition.type === type)
    for (const type of bindingFailureConditions) {
      const failed = conditionOf(type)
      if (failed?.status !== "True") continue
      const { message = "", reason = "" } = failed
      const why = `claim=${claim.metadata.name}, reason=${reason}, message=${JSON.stringify(message)}`
      return { failure: `device binding failed: ${why}` }
    }
    if (!bindingConditions.every((type) => conditionOf(type)?.status === "True")) return "Waiting"
  }
  return "Ready"
}

/** Whether the devices of a claim had their time to become ready. */
export const isOverdue = (claim: ResourceClaim, now: number, timeoutMs: number): boolean => {
  const allocatedAt = claim.status?.allocation?.allocationTimestamp
  if (allocatedAt === undefined || parseTime(allocatedAt) + timeoutMs >= now) return false
  return resultsOf(claim).some(({ bindingConditions }) => bindingConditions !== undefined)
}
