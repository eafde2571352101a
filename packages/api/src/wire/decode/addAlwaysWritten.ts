import type { MessageType, WireType } from "../WireType.ts"
import { alwaysWrittenFields } from "./goTypes.ts"
import { putMember } from "./putMember.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns a value with the fields that Go always writes appended to their objects, where `Reader` puts them, too. Parts
 * that lack none are shared.
 */
export const addAlwaysWritten = (type: MessageType, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  const given = value as Fields
  let copy: Record<string, unknown> | undefined
  for (const name in given) {
    const field = type.fields.get(name)
    if (field === undefined) continue
    const before = given[name]
    const after = addInValue(field.type, before)
    if (after === before) continue
    copy ??= { ...given }
    copy[name] = after
  }
  for (const [name, zero] of alwaysWrittenFields(type)) {
    if (given[name] !== undefined) continue
    copy ??= { ...given }
    copy[name] = zero
  }
  return copy ?? given
}

const addInValue = (type: WireType, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || type.type === "scalar") return value
  switch (type.type) {
    case "message":
      return addAlwaysWritten(type.message, value)
    case "list": {
      if (type.items.type === "scalar") return value
      const items = value as ReadonlyArray<unknown>
      let copy: Array<unknown> | undefined
      for (let index = 0; index < items.length; index++) {
        const after = addInValue(type.items, items[index])
        if (after === items[index]) continue
        copy ??= [...items]
        copy[index] = after
      }
      return copy ?? value
    }
    case "map": {
      if (type.values.type === "scalar") return value
      const after: Record<string, unknown> = {}
      for (const [name, item] of Object.entries(value)) putMember(after, name, addInValue(type.values, item))
      return after
    }
  }
}
