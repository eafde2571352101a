import type { FieldType, MessageType } from "@rollcall/api/wire"

/**
 * How a message is encoded: its fields by number. A struct that Go embeds has its fields in the JSON of the outer
 * struct, but is a message of its own in protobuf. Computed once for each message type.
 */
export interface Plan {
  readonly fields: ReadonlyMap<number, FieldType>
  /** The embedded structs, by the number of the field that contains their message. */
  readonly embedded: ReadonlyMap<number, Plan>
}

const plans = new WeakMap<MessageType, Plan>()

/** Returns the plan of fields that are `depth` embedded structs below their message. */
const planOfFields = (fields: ReadonlyArray<FieldType>, depth: number): Plan => {
  const embedded = new Map<number, Array<FieldType>>()
  const own = new Map<number, FieldType>()
  for (const field of fields) {
    // The type has no protobuf form.
    if (field.number === 0) continue
    const outer = field.embeddedIn?.[depth]
    if (outer === undefined) own.set(field.number, field)
    else embedded.set(outer, [...(embedded.get(outer) ?? []), field])
  }
  const inner = [...embedded].map(([number, each]): [number, Plan] => [number, planOfFields(each, depth + 1)])
  return { fields: own, embedded: new Map(inner) }
}

export const planOf = (type: MessageType): Plan => {
  let plan = plans.get(type)
  if (plan === undefined) {
    plan = planOfFields([...type.fields.values()], 0)
    plans.set(type, plan)
  }
  return plan
}
