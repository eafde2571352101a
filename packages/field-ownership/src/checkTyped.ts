import { isFields } from "@rollcall/api/values"
import type { WireType } from "@rollcall/api/wire"
import { type PathElement, printPath } from "./pathElement.ts"
import { ElementError, elementOf, type Schema, type StructSchema, structOf } from "./schema.ts"

/** Whether lists may have several elements of one key: those of an object may, those of a configuration not. */
type Duplicates = "allowed" | "refused"

const DUPLICATE = "duplicate entries for key"

/**
 * Returns why a configuration, or an object, is not valid for its type, as one text, or undefined if it is valid. Upstream:
 * sigs.k8s.io/structured-merge-diff, typed/validate.go.
 */
export const checkTyped = (
  value: unknown,
  schema: StructSchema,
  duplicates: Duplicates = "refused"
): string | undefined => {
  const found: Array<string> = []
  check(value, schema, [], found)
  const errors = duplicates === "refused" ? found : found.filter((error) => !error.includes(DUPLICATE))
  if (errors.length <= 1) return errors[0]
  return ["errors:", ...errors.map((error) => `  ${error}`)].join("\n")
}

type Check = (value: unknown, schema: Schema, path: Array<PathElement>, errors: Array<string>) => undefined

const addError = (path: ReadonlyArray<PathElement>, errors: Array<string>, message: string): undefined => {
  errors.push(path.length === 0 ? message : `${printPath(path)}: ${message}`)
}

const check: Check = (value, schema, path, errors) => {
  if (value === null || value === undefined) return
  switch (schema.form) {
    case "leaf":
      return checkLeaf(value, schema.type, path, errors)
    case "unknown":
      return schema.isObject === true ? checkObject(value, path, errors) : undefined
    case "map":
      return checkEntries(value, () => schema.values, path, errors)
    case "struct":
      return checkEntries(value, (name) => schema.fields.get(name)?.schema ?? schema.others, path, errors)
    case "list":
      return checkItems(value, schema, path, errors)
  }
}

const checkEntries = (
  value: unknown,
  schemaOf: (name: string) => Schema | undefined,
  path: Array<PathElement>,
  errors: Array<string>
): undefined => {
  if (!isFields(value)) return addError(path, errors, `expected map, got ${goPointer(value)}`)
  for (const name of Object.keys(value)) {
    path.push(`f:${name}`)
    const schema = schemaOf(name)
    if (schema === undefined) addError(path, errors, "field not declared in schema")
    else check(value[name], schema, path, errors)
    path.pop()
    if (schema === undefined) return
  }
}

const checkObject = (value: unknown, path: ReadonlyArray<PathElement>, errors: Array<string>): undefined =>
  isFields(value) ? undefined : addError(path, errors, `expected map, got ${goPointer(value)}`)

const checkItems = (
  value: unknown,
  schema: Schema & { readonly form: "list" },
  path: Array<PathElement>,
  errors: Array<string>
): undefined => {
  if (!Array.isArray(value)) return addError(path, errors, `expected list, got ${goPointer(value)}`)
  const seen = new Set<PathElement>()
  for (const [index, item] of value.entries()) {
    const element = elementOf(schema, item)
    if (element instanceof ElementError) return addError(path, errors, `element ${index}: ${element.message}`)
    if (seen.has(element)) addError(path, errors, `${DUPLICATE} ${printPath([element])}`)
    seen.add(element)
    path.push(element)
    check(item, schema.items, path, errors)
    path.pop()
  }
}

type CheckLeaf = (value: unknown, type: WireType, path: Array<PathElement>, errors: Array<string>) => undefined

/** Checks the type of a leaf: a value that is owned as a whole, and may be a scalar, a list or a map. */
const checkLeaf: CheckLeaf = (value, type, path, errors) => {
  if (value === null || value === undefined) return
  switch (type.type) {
    case "scalar":
      return checkScalar(value, type, path, errors)
    case "message":
      return check(value, structOf(type.message), path, errors)
    case "map":
      return checkEntries(value, () => ({ form: "leaf", type: type.values }), path, errors)
    case "list":
      if (!Array.isArray(value)) return addError(path, errors, `expected list, got ${goPointer(value)}`)
      for (const [index, item] of value.entries()) {
        path.push(`i:${index}`)
        checkLeaf(item, type.items, path, errors)
        path.pop()
      }
  }
}

const checkScalar = (
  value: unknown,
  { isObject, isUntyped, scalar }: WireType & { readonly type: "scalar" },
  path: ReadonlyArray<PathElement>,
  errors: Array<string>
): undefined => {
  switch (scalar) {
    case "int32":
    case "int64":
    case "double":
      if (typeof value !== "number" && typeof value !== "bigint")
        addError(path, errors, `expected numeric (int or float), got ${typeName(value)}`)
      return
    case "bool":
      if (typeof value !== "boolean") addError(path, errors, `expected boolean, got ${goPointer(value)}`)
      return
    case "Quantity":
    case "Time":
    case "MicroTime":
      return checkAnyScalar(value, path, errors)
    // The schema has no type for what is a number or a text, so that a list or a map fails only when it is decoded.
    case "IntOrString":
    case "RawExtension":
    case "FieldsV1":
      return
    case "any":
      return isObject === true ? checkObject(value, path, errors) : undefined
    default:
      if (isUntyped === true) return checkAnyScalar(value, path, errors)
      if (typeof value !== "string") addError(path, errors, `expected string, got ${goWrapped(value)}`)
  }
}

const checkAnyScalar = (value: unknown, path: ReadonlyArray<PathElement>, errors: Array<string>): undefined => {
  if (typeof value === "object") addError(path, errors, `expected any scalar, got ${goPointer(value)}`)
}

/** Returns the name of the Go type that JSON decoding gives the value. */
const typeName = (value: unknown): string => {
  if (typeof value === "string" || typeof value === "boolean")
    return value === true || value === false ? "bool" : "string"
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}"
}

/** Formats a value as Go's `%v`. */
const goValue = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`
  if (!isFields(value)) return value === null ? "<nil>" : String(value)
  const entries = Object.keys(value).sort()
  return `map[${entries.map((name) => `${name}:${goValue(value[name])}`).join(" ")}]`
}

/** Formats a value as Go's `%v` of a pointer to it. */
const goPointer = (value: unknown): string => `&{${goValue(value)}}`

/** Formats a value as Go's `%#v` of the wrapper that structured-merge-diff puts around it. */
const goWrapped = (value: unknown): string => `&value.valueUnstructured{Value:${goSyntax(value)}}`

/** Formats a value as Go's `%#v`. */
const goSyntax = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`
  if (!isFields(value)) return value === null ? "interface {}(nil)" : String(value)
  const names = Object.keys(value).sort()
  return `map[string]interface {}{${names.map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`).join(", ")}}`
}
