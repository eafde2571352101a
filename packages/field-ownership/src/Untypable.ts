import { isFields } from "@rollcall/api/values"
import { ElementError, elementOf, type Schema } from "./schema.ts"

/** Thrown for a value that is not of its type, so that it has no field owners. */
export class Untypable extends Error {}

/** Throws unless the value has the containers of its type, and each list element has a path element. */
export const requireTyped = (value: unknown, schema: Schema): undefined => {
  if (value === undefined || value === null || schema.form === "leaf" || schema.form === "unknown") return
  if (schema.form === "list") {
    if (!Array.isArray(value)) throw new Untypable("expected list")
    for (const item of value) {
      const element = elementOf(schema, item)
      if (element instanceof ElementError) throw new Untypable(element.message)
      requireTyped(item, schema.items)
    }
    return
  }
  if (!isFields(value)) throw new Untypable("expected map")
  for (const name of Object.keys(value)) {
    const inner = schema.form === "map" ? schema.values : (schema.fields.get(name)?.schema ?? schema.others)
    if (inner !== undefined) requireTyped(value[name], inner)
  }
}
