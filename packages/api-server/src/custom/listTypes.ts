import type { ErrorList } from "@rollcall/api/validation"
import { child, isFields, type JsonSchema, valuesOf } from "./JsonSchema.ts"

/**
 * Whether lists that are sets or maps have every element once.
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
 */
export const validateListTypes = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string) => {
  if (Array.isArray(value)) return validateList(errors, value, schema, path)
  if (!isFields(value)) return
  const { properties = {} } = schema
  const values = valuesOf(schema)
  for (const name of Object.keys(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (values !== undefined) validateListTypes(errors, value[name], values, `${path}[${name}]`)
    else if (inner !== undefined) validateListTypes(errors, value[name], inner, child(path, name))
  }
}

const validateList = (errors: ErrorList, list: ReadonlyArray<unknown>, schema: JsonSchema, path: string) => {
  const listType = schema["x-kubernetes-list-type"]
  if (listType === "set") tellDoubled(errors, list, path)
  if (listType === "map") validateMap(errors, list, schema["x-kubernetes-list-map-keys"] ?? [], path)
  const { items } = schema
  if (items === undefined) return
  for (const [index, item] of list.entries()) validateListTypes(errors, item, items, `${path}[${index}]`)
}

const validateMap = (errors: ErrorList, list: ReadonlyArray<unknown>, keys: ReadonlyArray<string>, path: string) => {
  const wrong = list.findIndex((item) => item !== null && !isFields(item))
  if (wrong >= 0) {
    const text = "must be an object for an array of list-type map"
    return errors.invalid(`${path}[${wrong}]`, list[wrong], text)
  }
  const chosen = list.map((item) =>
    Object.fromEntries(keys.filter((key) => isFields(item) && key in item).map((key) => [key, (item as never)[key]]))
  )
  tellDoubled(errors, chosen, path)
}

/** Keys sorted, so that equal values have equal texts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  )

/** Each doubled value is told once, where it stands the second time. */
const tellDoubled = (errors: ErrorList, list: ReadonlyArray<unknown>, path: string) => {
  const times = new Map<string, number>()
  list.forEach((value, index) => {
    const text = textOf(value)
    const seen = times.get(text) ?? 0
    times.set(text, seen + 1)
    if (seen === 1) errors.duplicate(`${path}[${index}]`, value)
  })
}
