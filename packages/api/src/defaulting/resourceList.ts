import type { ResourceList } from "../objects/Scalars.ts"
import { formatQuantity, roundUpQuantity } from "../quantity/Quantity.ts"
import { withFields } from "./fill.ts"

/** Nearly all amounts: a whole number, or one of thousandths. */
const isOfThousandths = (quantity: unknown): boolean =>
  typeof quantity === "string" && /^\d+(?:m|k|[KMGTPE]i?)?$/.test(quantity)

/** Rounds amounts up to thousandths; the same amounts if they are such. Upstream: SetDefaults_ResourceList. */
export const roundedAmounts = (amounts: ResourceList | undefined): ResourceList | undefined => {
  let changed: Record<string, ResourceList[string]> | undefined
  for (const name in amounts) {
    const quantity = amounts[name]
    if (quantity === undefined || isOfThousandths(quantity)) continue
    const { amount, exact } = roundUpQuantity(quantity, -3)
    if (exact) continue
    changed ??= { ...amounts }
    changed[name] = formatQuantity(amount)
  }
  return changed ?? amounts
}

interface Requirements {
  readonly limits?: ResourceList
  readonly requests?: ResourceList
}

/** Returns the holder of limits and requests with both rounded. */
export const withRoundedResources = <A extends { readonly resources?: Requirements }>(holder: A): A => {
  const { resources } = holder
  if (resources === undefined) return holder
  const rounded = withFields<Requirements>(resources, {
    limits: roundedAmounts(resources.limits),
    requests: roundedAmounts(resources.requests)
  })
  return rounded === resources ? holder : { ...holder, resources: rounded }
}
