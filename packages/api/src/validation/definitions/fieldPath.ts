import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/** A field that a path names: its name among the errors, and its schema. */
export interface FoundField {
  readonly steps: ReadonlyArray<string>
  readonly schema: JsonObject
}

const tokensOf = (path: string): ReadonlyArray<string> => path.match(/'(?:\\'|[^'])*'|[.[\]]|[^.[\]]+/g) ?? []

const invalidField = "does not refer to a valid field"
const endOfPath = "unexpected end of JSON path"

const valuesOf = ({ additionalProperties }: JsonObject): JsonObject | undefined =>
  isJsonObject(additionalProperties) ? additionalProperties : undefined

const step = ({ schema, steps }: FoundField, name: string): FoundField | string => {
  const { properties } = schema
  if (isJsonObject(properties) && Object.keys(properties).length > 0) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return isJsonObject(property) ? { schema: property, steps: [...steps, `.${name}`] } : invalidField
  }
  const values = valuesOf(schema)
  return values === undefined ? invalidField : { schema: values, steps: [...steps, `[${name}]`] }
}

/**
 * Finds the field that a path of field and map accessors names (`.spec.name`, `['a.b']`), or says why it names none.
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go, ValidFieldPath.
 */
export const findField = (path: string, schema: JsonObject, allowsBrackets: boolean): FoundField | string => {
  const tokens = tokensOf(path)
  let found: FoundField = { schema, steps: [] }
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    let name: string | undefined
    if (token === ".") {
      name = tokens[++index]
      if (name === undefined) return endOfPath
    } else if (token === "[") {
      if (!allowsBrackets) return "array notation is not allowed"
      const quoted = tokens[++index]
      if (quoted === undefined) return endOfPath
      if (!/^'.*'$/s.test(quoted)) return `expected single quoted string but got ${quoted}`
      name = quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1")
      const end = tokens[index + 1]
      const next = step(found, name)
      if (typeof next === "string") return next
      if (end === undefined) return endOfPath
      if (end !== "]") return `expected ] but got ${end}`
      index++
      found = next
      continue
    } else return `expected [ or . but got: ${token}`
    const next = step(found, name)
    if (typeof next === "string") return next
    found = next
  }
  return found
}
