import type { CustomResourceDefinitionVersion } from "../../objects/CustomResourceDefinition.ts"
import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { byteLength } from "../names.ts"
import { findField } from "./fieldPath.ts"
import type { JsonObject } from "./JsonObject.ts"
import { schemaIn } from "./schemaFaults.ts"

type Version = CustomResourceDefinitionVersion

const MAX_WARNING_LENGTH = 256

export const checkDeprecation = (errors: ErrorList, version: Version, at: string): void => {
  const { deprecated, deprecationWarning: text } = version
  if (text === undefined || text === null) return
  const add = (detail: string) => errors.invalid(`${at}.deprecationWarning`, typed(text), detail)
  if (deprecated !== true) {
    add("can only be set for deprecated versions")
    return
  }
  if (byteLength(text) > MAX_WARNING_LENGTH) add("must be <= 256 characters long")
  if (text === "") add("must not be an empty string")
  const found = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text)
  if (found === null) return
  const index = byteLength(text.slice(0, found.index))
  add(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
}

const isSimplePath = (errors: ErrorList, path: string, at: string): boolean => {
  if (path.startsWith(".")) return true
  errors.invalid(at, path, "must be a simple json path starting with .")
  return false
}

/** Checks the paths of a scale. */
export const checkSubresources = (
  errors: ErrorList,
  { subresources }: Pick<Version, "subresources">,
  at: string
): void => {
  const scale = subresources?.scale
  if (scale === undefined || scale === null) return
  const { labelSelectorPath, specReplicasPath = "", statusReplicasPath = "" } = scale
  for (const [field, path, prefix] of [
    ["specReplicasPath", specReplicasPath, ".spec"],
    ["statusReplicasPath", statusReplicasPath, ".status"]
  ] as const) {
    const place = `${at}.scale.${field}`
    if (path === "") errors.required(place)
    else if (isSimplePath(errors, path, place) && !path.startsWith(`${prefix}.`)) {
      errors.invalid(place, path, `should be a json path under ${prefix}`)
    }
  }
  if (!labelSelectorPath) return
  const place = `${at}.scale.labelSelectorPath`
  if (isSimplePath(errors, labelSelectorPath, place) && !/^\.(?:spec|status)\./.test(labelSelectorPath)) {
    errors.invalid(place, typed(labelSelectorPath), "should be a json path under either .spec or .status")
  }
}

const columnTypes = ["boolean", "date", "integer", "number", "string"]
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]

export const checkColumns = (
  errors: ErrorList,
  { additionalPrinterColumns }: Pick<Version, "additionalPrinterColumns">,
  at: string
): void =>
  additionalPrinterColumns?.forEach(({ format = "", jsonPath = "", name = "", type = "" }, index) => {
    const path = `${at}[${index}]`
    const oneOf = `must be one of ${columnTypes.join(",")}`
    if (name === "") errors.required(`${path}.name`)
    if (type === "") errors.required(`${path}.type`, oneOf)
    else if (!columnTypes.includes(type)) errors.invalid(`${path}.type`, type, oneOf)
    if (format !== "" && !columnFormats.includes(format)) {
      errors.invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`)
    }
    if (jsonPath === "") errors.required(`${path}.JSONPath`)
    else isSimplePath(errors, jsonPath, `${path}.JSONPath`)
  })

const MAX_SELECTABLE_FIELDS = 8

const selectableTypes: ReadonlySet<unknown> = new Set(["string", "boolean", "integer"])

/** Checks that each selectable field names a scalar of the schema. `noSchema` says what is wrong without a schema. */
export const checkSelectableFields = (
  errors: ErrorList,
  version: Pick<Version, "schema" | "selectableFields">,
  at: string,
  noSchema: string
): void => {
  const fields = version.selectableFields ?? []
  if (fields.length === 0) return
  const schema = schemaIn(version)
  if (schema === undefined) {
    errors.invalid(at, "", noSchema)
    return
  }
  const known = new Set<string>()
  fields.forEach(({ jsonPath = "" }, index) => {
    checkSelectableField(errors, jsonPath, schema, `${at}[${index}].jsonPath`, known)
  })
  if (known.size > MAX_SELECTABLE_FIELDS) errors.tooMany(at, known.size, MAX_SELECTABLE_FIELDS)
}

const checkSelectableField = (
  errors: ErrorList,
  path: string,
  schema: JsonObject,
  at: string,
  known: Set<string>
): void => {
  if (path === "") {
    errors.required(at)
    return
  }
  const found = findField(path, schema, false)
  if (typeof found === "string") {
    errors.invalid(at, path, `is an invalid path: ${found}`)
    return
  }
  if (found.steps[0] === ".metadata") errors.invalid(at, path, "must not point to fields in metadata")
  if (!selectableTypes.has(found.schema.type)) {
    const allowed = "Enum string fields and strings with formats are allowed."
    errors.invalid(at, path, `must point to a field of type string, boolean or integer. ${allowed}`)
  }
  const name = found.steps.join("")
  if (known.has(name)) errors.duplicate(at, path)
  known.add(name)
}
