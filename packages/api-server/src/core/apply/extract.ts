import { isFields } from "../objects/values.ts"
import type { MaybeSteps, Steps } from "../turns/Steps.ts"
import { FieldSetBuilder, MANY, PathTrail } from "./FieldSetBuilder.ts"
import type { FieldSet } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema, type Schema, type StructSchema } from "./schema.ts"

/**
 * Returns the set of all fields of an object: its leaves, its list elements and the entries of its maps. Upstream:
 * sigs.k8s.io/structured-merge-diff, typed/tofieldset.go.
 */
export const extractInSteps = (object: unknown, schema: StructSchema): MaybeSteps<FieldSet> =>
  new Extraction().all(object, schema)

type EntriesSchema = Exclude<Schema, { form: "leaf" | "list" }>

/** The walk over an object. */
class Extraction {
  private readonly set = new FieldSetBuilder()
  private readonly trail = new PathTrail([this.set])

  all(object: unknown, schema: StructSchema): MaybeSteps<FieldSet> {
    this.value(object, schema)
    return this.trail.isLong || this.set.isLong ? this.rest() : this.set.done()
  }

  private *rest(): Steps<FieldSet> {
    yield* this.trail.finish()
    return yield* this.set.inParts()
  }

  private value(value: unknown, schema: Schema): undefined {
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
    const names = Object.keys(value)
    if (names.length > MANY) return this.trail.defer(this.longEntries(value, names, schema))
    this.named(value, names, schema)
  }

  private *longEntries(
    value: Readonly<Record<string, unknown>>,
    names: ReadonlyArray<string>,
    schema: EntriesSchema
  ): Steps<void> {
    for (let at = 0; at < names.length; at += MANY) {
      this.named(value, names.slice(at, at + MANY), schema)
      yield
    }
  }

  private named(
    value: Readonly<Record<string, unknown>>,
    names: ReadonlyArray<string>,
    schema: EntriesSchema
  ): undefined {
    for (const name of names) {
      const below = value[name]
      const entry = entrySchema(schema, name)
      if (entry === undefined || below === undefined) continue
      this.trail.enter(`f:${name}`)
      this.value(below, entry.schema)
      if (!entry.named || isNothing(below)) this.add()
      this.trail.leave()
    }
  }

  private items(items: ReadonlyArray<unknown>, schema: ListSchema): undefined {
    const elements = items.map((item): PathElement | ElementError => elementOf(schema, item))
    const repeated = repeatedOf(elements)
    if (items.length > MANY) return this.trail.defer(this.longItems(items, elements, repeated, schema))
    elements.forEach((element, index) => {
      this.item(element, items[index], repeated, schema)
    })
  }

  private *longItems(
    items: ReadonlyArray<unknown>,
    elements: ReadonlyArray<PathElement | ElementError>,
    repeated: ReadonlySet<PathElement | ElementError>,
    schema: ListSchema
  ): Steps<void> {
    for (const [index, element] of elements.entries()) {
      this.item(element, items[index], repeated, schema)
      if (index % MANY === 0) yield
    }
  }

  private item(
    element: PathElement | ElementError,
    item: unknown,
    repeated: ReadonlySet<PathElement | ElementError>,
    schema: ListSchema
  ): undefined {
    if (element instanceof ElementError) return
    this.trail.enter(element)
    // Of elements with the same key, only their presence is recorded.
    if (!repeated.has(element)) this.value(item, schema.items)
    this.add()
    this.trail.leave()
  }
}

const isNothing = (value: unknown): boolean => value === null || (isFields(value) && Object.keys(value).length === 0)

/** Returns the schema of an entry of a map or struct, and whether the schema names it. */
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

/** Returns the values that occur more than once. */
export const repeatedOf = <A>(all: ReadonlyArray<A>): ReadonlySet<A> => {
  const seen = new Set<A>()
  const repeated = new Set<A>()
  for (const each of all) {
    if (seen.has(each)) repeated.add(each)
    seen.add(each)
  }
  return repeated
}
