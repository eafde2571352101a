import { isFields } from "../pipeline/bodies.ts"
import { type FieldSet, type FreshSet, insert, sorted } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema, type Schema, type StructSchema } from "./schema.ts"

/**
 * The set of all that an object says: its leaves, its list elements and the entries of its maps.
 * Upstream: sigs.k8s.io/structured-merge-diff, typed/tofieldset.go.
 */
export const fieldSetOf = (object: unknown, schema: StructSchema): FieldSet => {
  const set: FreshSet = {}
  extract(object, schema, [], set)
  return sorted(set)
}

type Extract = (value: unknown, schema: Schema, path: Array<PathElement>, set: FreshSet) => void

const extract: Extract = (value, schema, path, set) => {
  switch (schema.form) {
    case "leaf":
      return insert(set, path)
    case "list":
      return Array.isArray(value) ? extractItems(value, schema, path, set) : undefined
    case "unknown":
      return isFields(value) ? extractEntries(value, schema, path, set) : insert(set, path)
    default:
      return isFields(value) ? extractEntries(value, schema, path, set) : undefined
  }
}

const extractEntries: (
  value: Readonly<Record<string, unknown>>,
  schema: Exclude<Schema, { form: "leaf" | "list" }>,
  path: Array<PathElement>,
  set: FreshSet
) => void = (value, schema, path, set) => {
  for (const name of Object.keys(value)) {
    const below = value[name]
    const entry = entrySchema(schema, name)
    if (entry === undefined || below === undefined) continue
    path.push(`f:${name}`)
    extract(below, entry.schema, path, set)
    const nothing = below === null || (isFields(below) && Object.keys(below).length === 0)
    if (nothing || !entry.named) insert(set, path)
    path.pop()
  }
}

/** What an entry of a map or struct is, and whether the schema names it. */
export const entrySchema = (
  schema: Exclude<Schema, { form: "leaf" | "list" }>,
  name: string
): { readonly schema: Schema; readonly named: boolean } | undefined => {
  if (schema.form === "unknown") return { schema, named: false }
  if (schema.form === "map") return { schema: schema.values, named: false }
  const field = schema.fields.get(name)
  if (field !== undefined) return { schema: field.schema, named: true }
  return schema.others === undefined ? undefined : { schema: schema.others, named: false }
}

const extractItems = (
  items: ReadonlyArray<unknown>,
  schema: ListSchema,
  path: Array<PathElement>,
  set: FreshSet
): void => {
  const elements = items.map((item) => elementOf(schema, item))
  const repeated = repeatedOf(elements)
  elements.forEach((element, index) => {
    if (element instanceof ElementError) return
    path.push(element)
    // Of elements that cannot be told apart only that they are there is known.
    if (!repeated.has(element)) extract(items[index], schema.items, path, set)
    insert(set, path)
    path.pop()
  })
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
