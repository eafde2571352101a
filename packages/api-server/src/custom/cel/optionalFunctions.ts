import type { CelFunction } from "./operators.ts"
import { CelError, CelList, CelMap, Optional, Uint, type Value } from "./values.ts"

const isZero = (value: Value): boolean => {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  return (value instanceof CelList || value instanceof CelMap) && value.size === 0
}

/** `or` and `orValue` are no functions: their argument is evaluated where it is needed. Upstream: cel-go/cel/library.go. */
export const optionalFunctions: Readonly<Record<string, CelFunction>> = {
  hasValue: ([optional]) => (optional instanceof Optional ? optional.value !== undefined : undefined),
  "optional.none": () => new Optional(undefined),
  "optional.of": ([value]) => new Optional(value),
  "optional.ofNonZeroValue": ([value = null]) => new Optional(isZero(value) ? undefined : value),
  value: ([optional]) => {
    if (!(optional instanceof Optional)) return undefined
    return optional.value === undefined ? new CelError("optional.none() dereference") : optional.value
  }
}
