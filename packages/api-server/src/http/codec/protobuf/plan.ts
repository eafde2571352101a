import type { FieldType, MessageType } from "@rollcall/api/wire"

/**
 * The protobuf form of a message: fields by number, with structs that Go embeds as separate messages. Made once for
 * each message.
 */
export interface Plan {
  readonly fields: ReadonlyMap<number, FieldType>
  /** By the number of the embedded message. */
  readonly embedded: ReadonlyMap<number, Plan>
}

const plans = new WeakMap<MessageType, Plan>()

const planOfFields = (fields: ReadonlyArray<FieldType>): Plan => {
  const embedded = new Map<number, Array<FieldType>>()
  const own = new Map<number, FieldType>()
  for (const field of fields) {
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
