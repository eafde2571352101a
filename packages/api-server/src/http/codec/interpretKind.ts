import * as Result from "effect/Result"
import type { Kind } from "./refusals.ts"

/** Go's name for the struct that kind and version are read into. */
const findKind = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value).replace("boolean", "bool")

const misfit = (found: unknown, where: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(found)} into ${where}`

/**
 * The kind that a body says it is, completed by what the address expects.
 * Upstream: apimachinery/pkg/runtime/serializer/json/{meta,json}.go (Interpret, gvkWithDefaults).
 */
export const interpretKind = (body: unknown, expected: Kind): Result.Result<Kind, string> => {
  if (body === null || body === undefined) return Result.succeed(expected)
  if (typeof body !== "object" || Array.isArray(body)) return Result.fail(misfit(body, `Go value of type ${findKind}`))
  const { apiVersion = "", kind = "" } = body as { readonly apiVersion?: unknown; readonly kind?: unknown }
  for (const [name, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind]
  ]) {
    if (value !== null && typeof value !== "string") {
      return Result.fail(misfit(value, `Go struct field .${String(name)} of type string`))
    }
  }
  const text = typeof apiVersion === "string" && apiVersion !== "/" ? apiVersion : ""
  const parts = text.split("/")
  if (parts.length > 2) return Result.fail(`unexpected GroupVersion string: ${text}`)
  const [version = "", group = ""] = parts.reverse()
  const given = { group, version, kind: typeof kind === "string" ? kind : "" }
  return Result.succeed({
    ...(given.version === "" && (given.group === "" || given.group === expected.group) ? expected : given),
    kind: given.kind === "" ? expected.kind : given.kind
  })
}
