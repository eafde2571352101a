import type { ErrorList } from "@rollcall/api/validation"
import { isFields } from "@rollcall/api/values"
import { child, type JsonSchema, valuesOf } from "./JsonSchema.ts"
import { canonicalText } from "./sameness.ts"
import { FAULT_STEPS, GLANCE_STEPS, Work } from "./Work.ts"

/**
 * Checks that lists of type set or map have no duplicates.
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
 */
export const validateListTypes = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  work: Work = new Work()
): void => {
  work.spend(GLANCE_STEPS)
  if (Array.isArray(value)) validateList(errors, value, schema, path, work)
  if (!isFields(value)) return
  const { properties = {} } = schema
  const values = valuesOf(schema)
  for (const name of Object.keys(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (values !== undefined) validateListTypes(errors, value[name], values, `${path}[${name}]`, work)
    else if (inner !== undefined) validateListTypes(errors, value[name], inner, child(path, name), work)
  }
}

const validateList = (
  errors: ErrorList,
  list: ReadonlyArray<unknown>,
  schema: JsonSchema,
  path: string,
  work: Work
) => {
  const listType = schema["x-kubernetes-list-type"]
  if (listType === "set") reportDuplicates(errors, list, path, work)
  if (listType === "map") validateMap(errors, list, schema["x-kubernetes-list-map-keys"] ?? [], path, work)
  const { items } = schema
  if (items === undefined) return
  for (const [index, item] of list.entries()) validateListTypes(errors, item, items, `${path}[${index}]`, work)
}

const validateMap = (
  errors: ErrorList,
  list: ReadonlyArray<unknown>,
  keys: ReadonlyArray<string>,
  path: string,
  work: Work
) => {
  const invalidIndex = list.findIndex((item) => item !== null && !isFields(item))
  if (invalidIndex >= 0) {
    const text = "must be an object for an array of list-type map"
    return errors.invalid(`${path}[${invalidIndex}]`, list[invalidIndex], text)
  }
  const ordered = [...keys].sort()
  const textOf = (item: unknown): string => {
    let text = ""
    for (const key of ordered) {
      if (isFields(item) && key in item) text += `${JSON.stringify(key)}:${canonicalText(item[key])},`
    }
    return text
  }
  const keysOf = (item: unknown) =>
    Object.fromEntries(ordered.filter((key) => isFields(item) && key in item).map((key) => [key, (item as never)[key]]))
  reportDuplicates(errors, list, path, work, textOf, keysOf)
}

/** Reports each duplicate value once, at its second position. `textOf` identifies values, `shown` prints them. */
const reportDuplicates = (
  errors: ErrorList,
  list: ReadonlyArray<unknown>,
  path: string,
  work: Work,
  textOf = canonicalText,
  shown = (value: unknown) => value
) => {
  const times = new Map<string, number>()
  list.forEach((value, index) => {
    const text = textOf(value)
    const seen = times.get(text) ?? 0
    times.set(text, seen + 1)
    if (seen !== 1) return
    work.spend(FAULT_STEPS + text.length)
    errors.duplicate(`${path}[${index}]`, shown(value))
  })
}
