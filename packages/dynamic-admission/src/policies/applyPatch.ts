import type { KubeObject } from "@rollcall/api"
import { applyJsonPatch } from "@rollcall/api/patch"
import { type Fields, isFields } from "@rollcall/api/values"
import { withNulls } from "@rollcall/api/wire"
import { CelList, CelMap, MessageValue, type Value } from "@rollcall/cel"
import { checkTyped, merge, type Schema, type StructSchema } from "@rollcall/field-ownership"
import * as Result from "effect/Result"
import { jsonOf, messageFault } from "../cel/jsonOf.ts"

/** The document after a patch, or why it cannot be applied. */
type Document = Result.Result<unknown, string>

/**
 * Returns the paths of lists, maps and structs that a configuration would replace as a whole: those may not be changed, so
 * that no field is removed by mistake. Upstream: plugin/policy/mutating/patch/smd.go, validatePatch.
 */
const atomicsIn = (value: unknown, schema: Schema, path: string): ReadonlyArray<string> => {
  if (schema.form === "leaf") {
    const isAtomic = schema.type.type !== "scalar" && (isFields(value) || Array.isArray(value))
    return isAtomic ? [path] : []
  }
  if (schema.form === "list") {
    if (!Array.isArray(value)) return []
    return value.flatMap((item, index) => atomicsIn(item, schema.items, `${path}[${index}]`))
  }
  if (!isFields(value) || schema.form === "unknown") return []
  const schemaOf = (name: string) =>
    schema.form === "map" ? schema.values : (schema.fields.get(name)?.schema ?? schema.others)
  return Object.keys(value).flatMap((name) => {
    const inner = schemaOf(name)
    return inner === undefined ? [] : atomicsIn(value[name], inner, `${path}.${name}`)
  })
}

/**
 * Merges the object that an ApplyConfiguration expression makes into the object of the request. `untyped` is a custom resource as it is
 * now, which need not be of its type.
 */
export const applyConfiguration = (
  value: Value,
  object: KubeObject,
  schema: StructSchema,
  untyped: unknown
): Document => {
  const fault = messageFault(value, "Object")
  if (fault !== undefined) return Result.fail(`type mismatch: ${fault}`)
  const { apiVersion, kind } = object
  const made = jsonOf(value)
  const config = { ...(isFields(made) ? made : {}), apiVersion, kind } as Fields & KubeObject
  const failed = (text: string) => Result.fail(`error applying patch: ${text}`)
  const typeError = checkTyped(config, schema)
  if (typeError !== undefined) return failed(`failed to convert patch object to typed object: ${typeError}`)
  const atomics = atomicsIn(config, schema, "")
  if (atomics.length > 0) {
    return failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`)
  }
  const originalError = untyped === undefined ? undefined : checkTyped(untyped, schema, "allowed")
  if (originalError !== undefined) return failed(`failed to convert original object to typed object: ${originalError}`)
  return Result.succeed(merge(object, config, schema))
}

const text = (value: Value | undefined): string => (typeof value === "string" ? value : "")

/** Returns the operation that a JSONPatch message states. */
const operationOf = (value: Value): Fields | string => {
  if (!(value instanceof CelMap)) return "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch"
  const given = value.get("value")
  const fault = given instanceof MessageValue ? messageFault(given, given.messageName) : undefined
  if (fault !== undefined) return `type mismatch: ${fault}`
  const from = text(value.get("from"))
  return {
    op: text(value.get("op")),
    path: text(value.get("path")),
    ...(from === "" ? {} : { from }),
    ...(given === undefined ? {} : { value: jsonOf(given) })
  }
}

/** Applies the operations that a JSONPatch expression makes. If a test fails, nothing changes. */
export const applyOperations = (value: Value, object: unknown): Document => {
  if (!(value instanceof CelList)) {
    return Result.fail("type mismatch: JSONPatchType.expression should evaluate to array")
  }
  const operations = [...value].map(operationOf)
  const fault = operations.find((operation) => typeof operation === "string")
  if (fault !== undefined) return Result.fail(String(fault))
  const patched = applyJsonPatch(withNulls(object), operations)
  if (Result.isSuccess(patched)) return Result.succeed(patched.success)
  const { message } = patched.failure
  return /^testing path .* failed|test failed/i.test(message)
    ? Result.succeed(object)
    : Result.fail(`JSON Patch: ${message}`)
}
