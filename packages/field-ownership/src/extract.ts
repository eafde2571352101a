import { isFields } from "@rollcall/api/values"
import type { MaybeSteps, Steps } from "@rollcall/time"
import { FieldSetBuilder, PathTrail, STEP_ENTRIES } from "./FieldSetBuilder.ts"
import type { FieldSet } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema, type Schema, type StructSchema } from "./schema.ts"

/**
 * Returns the set of all fields of an object: its leaves, its list elements and the entries of its maps. Returns the
 * result at once if the object is small, otherwise steps. Upstream:
 * sigs.k8s.io/structured-merge-diff, typed/tofieldset.go.
 */
export const extractInSteps = (object: unknown, schema: StructSchema): MaybeSteps<FieldSet> =>
  new Extraction().extractAll(object, schema)

type EntriesSchema = Exclude<Schema, { form: "leaf" | "list" }>

/** Walks over an object and collects the paths of its fields. */
class Extraction {
  private readonly set = new FieldSetBuilder()
  private readonly trail = new PathTrail([this.set])

  extractAll(object: unknown, schema: StructSchema): MaybeSteps<FieldSet> {
    this.visit(object, schema)
    return this.trail.isLong || this.set.isLong ? this.finishInSteps() : this.set.build()
  }

  private *finishInSteps(): Steps<FieldSet> {
    yield* this.trail.runDeferredInSteps()
    return yield* this.set.buildInSteps()
  }

  private visit(value: unknown, schema: Schema): undefined {
    switch (schema.form) {
      case "leaf":
        return this.addPath()
      case "list":
        return Array.isArray(value) ? this.visitItems(value, schema) : undefined
      case "unknown":
        return isFields(value) ? this.visitEntries(value, schema) : this.addPath()
      default:
        return isFields(value) ? this.visitEntries(value, schema) : undefined
    }
  }

  private addPath(): undefined {
    this.set.add(this.trail.path)
  }

  private visitEntries(value: Readonly<Record<string, unknown>>, schema: EntriesSchema): undefined {
    const names = Object.keys(value)
    if (names.length > STEP_ENTRIES) return this.trail.defer(this.visitEntriesInSteps(value, names, schema))
    this.visitNamed(value, names, schema)
  }

  private *visitEntriesInSteps(
    value: Readonly<Record<string, unknown>>,
    names: ReadonlyArray<string>,
    schema: EntriesSchema
  ): Steps<void> {
    for (let at = 0; at < names.length; at += STEP_ENTRIES) {
      this.visitNamed(value, names.slice(at, at + STEP_ENTRIES), schema)
      yield
    }
  }

  private visitNamed(
    value: Readonly<Record<string, unknown>>,
    names: ReadonlyArray<string>,
    schema: EntriesSchema
  ): undefined {
    for (const name of names) {
      const below = value[name]
      const entry = entrySchema(schema, name)
      if (entry === undefined || below === undefined) continue
      this.trail.enter(`f:${name}`)
      this.visit(below, entry.schema)
      if (!entry.named || isEmptyValue(below)) this.addPath()
      this.trail.leave()
    }
  }

  private visitItems(items: ReadonlyArray<unknown>, schema: ListSchema): undefined {
    const elements = items.map((item): PathElement | ElementError => elementOf(schema, item))
    const repeated = repeatedOf(elements)
    if (items.length > STEP_ENTRIES) return this.trail.defer(this.visitItemsInSteps(items, elements, repeated, schema))
    elements.forEach((element, index) => {
      this.visitItem(element, items[index], repeated, schema)
    })
  }

  private *visitItemsInSteps(
    items: ReadonlyArray<unknown>,
    elements: ReadonlyArray<PathElement | ElementError>,
    repeated: ReadonlySet<PathElement | ElementError>,
    schema: ListSchema
  ): Steps<void> {
    for (const [index, element] of elements.entries()) {
      this.visitItem(element, items[index], repeated, schema)
      if (index % STEP_ENTRIES === 0) yield
    }
  }

  private visitItem(
    element: PathElement | ElementError,
    item: unknown,
    repeated: ReadonlySet<PathElement | ElementError>,
    schema: ListSchema
  ): undefined {
    if (element instanceof ElementError) return
    this.trail.enter(element)
    // Of elements with the same key, only their presence is recorded.
    if (!repeated.has(element)) this.visit(item, schema.items)
    this.addPath()
    this.trail.leave()
  }
}

const isEmptyValue = (value: unknown): boolean => value === null || (isFields(value) && Object.keys(value).length === 0)

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
