import type { ErrorList } from "@rollcall/api/validation"
import { isFields } from "../../core/objects/values.ts"
import { FAULT_STEPS, GLANCE_STEPS, type Work } from "../work/Work.ts"
import { child, type JsonSchema, valuesOf } from "./JsonSchema.ts"

/**
 * Checks that embedded objects have apiVersion, kind and valid metadata.
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go.
 */
export const validateEmbedded = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  work: Work
): void => {
  work.spend(GLANCE_STEPS)
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) validateEmbedded(errors, item, items, `${path}[${index}]`, work)
    return
  }
  if (!isFields(value)) return
  if (schema["x-kubernetes-embedded-resource"] === true) {
    const before = errors.size
    for (const name of ["apiVersion", "kind"]) {
      const text = value[name]
      if (text === undefined || text === "") errors.required(child(path, name), "must not be empty")
      else if (typeof text !== "string") errors.invalid(child(path, name), text, "must be a string")
    }
    work.spend((errors.size - before) * FAULT_STEPS)
  }
  const { properties = {} } = schema
  const values = valuesOf(schema)
  for (const name of Object.keys(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : values
    if (inner === undefined) continue
    validateEmbedded(errors, value[name], inner, values === inner ? `${path}[${name}]` : child(path, name), work)
  }
}
