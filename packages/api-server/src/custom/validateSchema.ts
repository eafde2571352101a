import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { sameValue } from "../pipeline/sameValue.ts"
import { hasFormat } from "./formats.ts"
import { itemBefore } from "./itemBefore.ts"
import { child, isFields, type JsonSchema, valuesOf } from "./JsonSchema.ts"
import { matchesPattern } from "./patterns.ts"

/** How far a value got, so that of several alternatives the nearest one is told. */
type Matched = number

/**
 * What of a value its schema refuses, with the messages of kube-openapi. What an update leaves as it was is not judged again (`old`).
 * Upstream: kube-openapi/pkg/validation/validate; apiextensions-apiserver/pkg/apiserver/validation (ratcheting).
 */
export const validateSchema = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old?: unknown
): Matched => {
  if (old !== undefined && sameValue(value, old)) return 1
  const before = errors.size
  checkType(errors, value, schema, path)
  if (value === null) {
    checkEnum(errors, value, schema, path)
    return 0
  }
  const sound = errors.size === before ? 1 : 0
  let matched = sound + checkAlternatives(errors, value, schema, path)
  if (typeof value === "string") checkText(errors, value, schema, path)
  else if (typeof value === "number") checkNumber(errors, value, schema, path)
  else if (Array.isArray(value)) matched += checkItems(errors, value, schema, path, old)
  checkEnum(errors, value, schema, path)
  if (isFields(value)) matched += checkFields(errors, value, schema, path, old)
  return matched
}

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const place = (path: string): string => (path === "" ? "<nil>" : path)
const inBody = (path: string): string => `${path} in body`

const misfit = (errors: ErrorList, path: string, wanted: string, found: unknown): void => {
  const shown = typeof found === "string" ? `: ${JSON.stringify(found)}` : ""
  errors.add("FieldValueTypeInvalid", place(path), found, `${inBody(path)} must be of type ${wanted}${shown}`)
}

const checkType = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string): void => {
  const types = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : []
  const found = typeName(value)
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) misfit(errors, path, types.join(","), found)
    return
  }
  if (types.length === 0 || types.includes(found)) return
  if (found === "integer" && types.includes("number")) return
  misfit(errors, path, types.join(","), found)
}

const checkEnum = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string): void => {
  const allowed = schema.enum
  if (allowed === undefined || allowed.length === 0 || allowed.some((each) => sameValue(each, value))) return
  const texts = allowed.map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
  errors.notSupported(place(path), value, texts)
}

const checkText = (errors: ErrorList, value: string, schema: JsonSchema, path: string): void => {
  const { format, maxLength, minLength, pattern } = schema
  const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length
  if (maxLength !== undefined && length > maxLength) errors.tooLong(place(path), maxLength)
  else if (minLength !== undefined && length < minLength) {
    errors.invalid(place(path), value, `${inBody(path)} should be at least ${minLength} chars long`)
  } else if (pattern !== undefined && !matchesPattern(pattern, value)) {
    errors.invalid(place(path), value, `${inBody(path)} should match '${pattern}'`)
  }
  if (format !== undefined && !hasFormat(format, value)) misfitFormat(errors, path, format, value)
}

const misfitFormat = (errors: ErrorList, path: string, format: string, value: string): void =>
  errors.add(
    "FieldValueTypeInvalid",
    place(path),
    value,
    `${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`
  )

const checkNumber = (errors: ErrorList, value: number, schema: JsonSchema, path: string): void => {
  const { exclusiveMaximum, exclusiveMinimum, format, maximum, minimum, multipleOf } = schema
  const wrong = (what: string) => errors.invalid(place(path), value, `${inBody(path)} should be ${what}`)
  if (format === "int32" && Number.isInteger(value) && value !== (value | 0)) {
    errors.invalid(place(path), value, `Checked value must be of type integer with format int32 in ${path}`)
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) wrong(`a multiple of ${multipleOf}`)
  if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    wrong(`less than ${exclusiveMaximum === true ? "" : "or equal to "}${maximum}`)
  }
  if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    wrong(`greater than ${exclusiveMinimum === true ? "" : "or equal to "}${minimum}`)
  }
}

const checkItems = (
  errors: ErrorList,
  list: ReadonlyArray<unknown>,
  schema: JsonSchema,
  path: string,
  old: unknown
): Matched => {
  const { items, maxItems, minItems, uniqueItems } = schema
  let matched = 0
  if (items !== undefined) {
    list.forEach((item, index) => {
      matched += validateSchema(errors, item, items, `${path}[${index}]`, itemBefore(schema, item, old))
    })
  }
  if (minItems !== undefined && list.length < minItems) {
    errors.invalid(place(path), list.length, `${inBody(path)} should have at least ${minItems} items`)
  }
  if (maxItems !== undefined && list.length > maxItems) errors.tooMany(place(path), list.length, maxItems)
  if (uniqueItems === true && list.some((item, at) => list.slice(0, at).some((other) => sameValue(other, item)))) {
    errors.invalid(place(path), "", `${inBody(path)} shouldn't contain duplicates`)
  }
  return matched
}

const checkFields = (
  errors: ErrorList,
  object: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  path: string,
  old: unknown
): Matched => {
  const { maxProperties, minProperties, properties = {}, required = [] } = schema
  const names = Object.keys(object).sort()
  if (minProperties !== undefined && names.length < minProperties) {
    errors.invalid(place(path), minProperties, `${inBody(path)} should have at least ${minProperties} properties`)
    return 0
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.tooMany(place(path), names.length, maxProperties)
    return 0
  }
  let matched = 0
  for (const name of required) {
    if (Object.hasOwn(object, name)) matched++
    else errors.required(child(path, name))
  }
  const values = valuesOf(schema)
  const before = isFields(old) ? old : {}
  for (const name of names) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : values
    if (inner === undefined) continue
    matched += validateSchema(errors, object[name], inner, child(path, name), before[name])
  }
  return matched
}

/** `allOf`, `anyOf`, `oneOf` and `not`. Of alternatives that all fail, the one that got furthest tells its faults. */
const checkAlternatives = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string): Matched => {
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema
  let matched = 0
  const tell = (text: string) => errors.invalid("<nil>", "", `${JSON.stringify(path)} ${text}`)
  const tryEach = (schemas: ReadonlyArray<JsonSchema>) =>
    schemas.map((each): Tried => {
      const own = new ErrorList()
      return { own, got: validateSchema(own, value, each, path) }
    })
  if (anyOf.length > 0) {
    const tried = tryEach(anyOf)
    const fit = tried.find(({ own }) => own.size === 0)
    if (fit === undefined) {
      tell("must validate at least one schema (anyOf)")
      errors.append(nearest(tried))
    } else matched += fit.got
  }
  if (oneOf.length > 0) {
    const tried = tryEach(oneOf)
    const fits = tried.filter(({ own }) => own.size === 0)
    const found = fits.length === 0 ? "Found none valid" : `Found ${fits.length} valid alternatives`
    if (fits.length !== 1) tell(`must validate one and only one schema (oneOf). ${found}`)
    if (fits.length === 0) errors.append(nearest(tried))
    matched += fits[0]?.got ?? 0
  }
  if (allOf.length > 0) {
    const tried = tryEach(allOf)
    for (const { got, own } of tried) {
      errors.append(own.all)
      matched += got
    }
    const failed = tried.filter(({ own }) => own.size > 0).length
    if (failed > 0) tell(`must validate all the schemas (allOf)${failed === tried.length ? ". None validated" : ""}`)
  }
  if (not !== undefined && tryEach([not])[0]?.own.size === 0) tell("must not validate the schema (not)")
  return matched
}

interface Tried {
  readonly own: ErrorList
  readonly got: Matched
}

const nearest = (tried: ReadonlyArray<Tried>): FieldErrors => {
  let best: Tried | undefined
  for (const each of tried) if (best === undefined || each.got > best.got) best = each
  return best?.own.all ?? []
}
