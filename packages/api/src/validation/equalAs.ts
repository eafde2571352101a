import * as Predicate from "effect/Predicate"
import { equalQuantity } from "../quantity/Quantity.ts"
import { rawText } from "../wire/rawText.ts"
import type { FieldType, MessageType, WireType } from "../wire/WireType.ts"
import { wireTypeNamed } from "../wire/wireTypes.ts"
import { semanticEqual } from "./semanticEqual.ts"

type Fields = Readonly<Record<string, unknown>>

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : Predicate.isReadonlyObject(value) ? Object.keys(value).length : 0

const noFields: Fields = {}

const isZero = (value: unknown): boolean => isAbsent(value) || value === "" || value === false || value === 0

const equalMaps = (type: WireType, a: Fields, b: Fields): boolean => {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalValues(type, a[key], b[key], false))
  )
}

const equalScalars = (scalar: string, a: unknown, b: unknown, pointer: boolean): boolean => {
  if (!pointer && isZero(a) && isZero(b)) return true
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (scalar === "RawExtension") return rawText(a) === rawText(b)
  return scalar === "Quantity" ? equalQuantity(a as string, b as string) : semanticEqual(a, b)
}

const equalValues = (type: WireType, a: unknown, b: unknown, pointer: boolean): boolean => {
  if (a === b) return true
  switch (type.type) {
    case "scalar":
      return equalScalars(type.scalar, a, b, pointer)
    case "list": {
      if (sizeOf(a) !== sizeOf(b)) return false
      const [items, others] = [(a ?? []) as ReadonlyArray<unknown>, (b ?? []) as ReadonlyArray<unknown>]
      return items.every((item, index) => equalValues(type.items, item, others[index], false))
    }
    case "map":
      return equalMaps(type.values, (a ?? noFields) as Fields, (b ?? noFields) as Fields)
    case "message":
      if (pointer && isAbsent(a) !== isAbsent(b)) return false
      return equalMessages(type.message, (a ?? noFields) as Fields, (b ?? noFields) as Fields)
  }
}

const equalField = (field: FieldType, a: Fields, b: Fields): boolean =>
  equalValues(field.type, a[field.name], b[field.name], field.pointer)

const equalMessages = (message: MessageType, a: Fields, b: Fields): boolean => {
  for (const name in a) {
    const field = message.fields.get(name)
    if (field !== undefined && !equalField(field, a, b)) return false
  }
  for (const name in b) {
    const field = name in a ? undefined : message.fields.get(name)
    if (field !== undefined && !equalField(field, a, b)) return false
  }
  return true
}

/**
 * Whether two values of a type are semantically equal: where Go has a pointer an absent value is not an empty one,
 * elsewhere it is; quantities are compared by value, and what Go keeps as text as text. The type has its group and version: `core.v1.PodSpec`.
 * Upstream: apimachinery/pkg/api/equality/semantic.go.
 */
export const equalAs = (typeName: string, a: unknown, b: unknown): boolean => {
  const message = wireTypeNamed(`io.k8s.api.${typeName}`)
  if (message === undefined) return semanticEqual(a, b)
  return equalValues({ type: "message", message }, a, b, true)
}

/** Whether two values of a field of a message are semantically equal. */
export const equalInField = (message: MessageType, name: string, a: unknown, b: unknown): boolean => {
  const field = message.fields.get(name)
  return field !== undefined && equalValues(field.type, a, b, field.pointer)
}
