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

const planOfFields = (fields: ReadonlyArray<FieldType>): Plan => {
  const embedded = new Map<number, Array<FieldType>>()
  const own = new Map<number, FieldType>()
  for (const field of fields) {
    // The type has no protobuf form.
    if (field.number === 0) continue
    if (field.embeddedIn === undefined) own.set(field.number, field)
    else embedded.set(field.embeddedIn, [...(embedded.get(field.embeddedIn) ?? []), field])
  }
  const inner = [...embedded].map(([number, each]): [number, Plan] => [
    number,
    { fields: new Map(each.map((field) => [field.number, field])), embedded: new Map() }
  ])
  return { fields: own, embedded: new Map(inner) }
}

export const planOf = (type: MessageType): Plan => {
  let plan = plans.get(type)
  if (plan === undefined) {
    plan = planOfFields([...type.fields.values()])
    plans.set(type, plan)
  }
  return plan
}
