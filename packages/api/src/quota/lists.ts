import type { Amounts } from "../PodResources.ts"
import {
  addQuantity,
  amountOf,
  compareQuantity,
  type QuantityLike,
  signOf,
  subtractQuantity,
  zeroQuantity
} from "../quantity/Quantity.ts"

/** Amounts by resource name, parsed or in wire form. */
export type Quantities = Readonly<Record<string, QuantityLike>>

/** Upstream: staging/src/k8s.io/apiserver/pkg/quota/v1/resources.go. */

export const addLists = (left: Quantities, right: Quantities): Amounts => {
  const sums: Record<string, ReturnType<typeof amountOf>> = {}
  for (const [name, amount] of Object.entries(left)) {
    const other = right[name]
    sums[name] = other === undefined ? amountOf(amount) : addQuantity(amount, other)
  }
  for (const [name, amount] of Object.entries(right)) sums[name] ??= amountOf(amount)
  return sums
}

/** Subtracts the right amounts; none of the result is negative. */
export const subtractToZero = (left: Quantities, right: Quantities): Amounts => {
  const rest: Record<string, ReturnType<typeof amountOf>> = {}
  for (const [name, amount] of Object.entries(left)) {
    const difference = subtractQuantity(amount, right[name] ?? zeroQuantity)
    rest[name] = signOf(difference) > 0 ? difference : zeroQuantity
  }
  for (const name of Object.keys(right)) rest[name] ??= zeroQuantity
  return rest
}

/** Returns the amounts of these resources alone. */
export const maskList = <A extends Quantities>(amounts: A, names: Iterable<string>): A => {
  const wanted = new Set(names)
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => wanted.has(name))) as A
}

export const withoutZeros = <A extends Quantities>(amounts: A): A =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => signOf(amount) !== 0)) as A

export const equalLists = (left: Quantities, right: Quantities): boolean => {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const other = right[name]
      return other !== undefined && compareQuantity(left[name] as QuantityLike, other) === 0
    })
  )
}

/** Returns the resources of which the left amount is greater than the limit, where there is one. */
export const exceededNames = (amounts: Quantities, limits: Quantities): ReadonlyArray<string> =>
  Object.entries(limits).flatMap(([name, limit]) => {
    const amount = amounts[name]
    return amount !== undefined && compareQuantity(amount, limit) > 0 ? [name] : []
  })
