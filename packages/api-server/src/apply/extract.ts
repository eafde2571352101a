import { isFields } from "../pipeline/bodies.ts"
import { FieldSetBuilder, PathTrail } from "./FieldSetBuilder.ts"
import type { FieldSet } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema, type Schema, type StructSchema } from "./schema.ts"

/**
 * The set of all that an object says: its leaves, its list elements and the entries of its maps.
 * Upstream: sigs.k8s.io/structured-merge-diff, typed/tofieldset.go.
 */
export const fieldSetOf = (object: unknown, schema: StructSchema): FieldSet => {
  const extraction = new Extraction()
  extraction.value(object, schema)
  return extraction.set.done()
}

type EntriesSchema = Exclude<Schema, { form: "leaf" | "list" }>

/** The walk over an object. */
class Extraction {
  readonly set = new FieldSetBuilder()
  private readonly trail = new PathTrail([this.set])

  value(value: unknown, schema: Schema): undefined {
    switch (schema.form) {
      case "leaf":
        return this.add()
      case "list":
        return Array.isArray(value) ? this.items(value, schema) : undefined
      case "unknown":
        return isFields(value) ? this.entries(value, schema) : this.add()
      default:
        return isFields(value) ? this.entries(value, schema) : undefined
    }
  }

  private add(): undefined {
    this.set.add(this.trail.path)
  }

  private entries(value: Readonly<Record<string, unknown>>, schema: EntriesSchema): undefined {
    for (const name of Object.keys(value)) {
      const below = value[name]
      const entry = entrySchema(schema, name)
      if (entry === undefined || below === undefined) continue
      this.trail.enter(`f:${name}`)
      this.value(below, entry.schema)
      const nothing = below === null || (isFields(below) && Object.keys(below).length === 0)
      if (nothing || !entry.named) this.add()
      this.trail.leave()
    }
  }

  private items(items: ReadonlyArray<unknown>, schema: ListSchema): undefined {
    const elements = items.map((item): PathElement | ElementError => elementOf(schema, item))
    const repeated = repeatedOf(elements)
    elements.forEach((element, index) => {
      if (element instanceof ElementError) return
      this.trail.enter(element)
      // Of elements that cannot be told apart only that they are there is known.
      if (!repeated.has(element)) this.value(items[index], schema.items)
      this.add()
      this.trail.leave()
    })
  }
}

/** What an entry of a map or struct is, and whether the schema names it. */
export const entrySchema = (
  schema: EntriesSchema,
  name: string
): { readonly schema: Schema; readonly named: boolean } | undefined => {
  if (schema.form === "unknown") return { schema, named: false }
  if (schema.form === "map") return { schema: schema.values, named: false }
  const field = schema.fields.get(name)
  if (field !== undefined) return { schema: field.schema, named: true }
  return schema.others === undefined ? undefined : { schema: schema.others, named: false }
}

/** What is there more than once. */
export const repeatedOf = <A>(all: ReadonlyArray<A>): ReadonlySet<A> => {
  const seen = new Set<A>()
  const repeated = new Set<A>()
  for (const each of all) {
    if (seen.has(each)) repeated.add(each)
    seen.add(each)
  }
  return repeated
}
