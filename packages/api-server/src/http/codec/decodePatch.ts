import { badRequest, type Status } from "@rollcall/api"
import {
  decodeJson,
  decodeJsonList,
  type MessageType,
  parseJson,
  parseJsonPatch,
  parsePatchJson,
  withoutLoneSurrogates
} from "@rollcall/api/wire"
import type { PatchType } from "@rollcall/cluster"
import { runAllSteps, type Steps } from "@rollcall/time"
import { readYamlInSteps } from "@rollcall/yaml"
import * as Result from "effect/Result"
import { type FieldValidation, textOf } from "./decodeBody.ts"
import { unsupportedMediaType } from "./refusals.ts"

/** Patch types by Content-Type, in the order in which a refusal lists them. */
const patchTypes = new Map<string, PatchType>([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"]
])

export interface PatchBody {
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
  readonly fieldValidation: FieldValidation
  /** Whether the object is a custom resource: these do not support strategic merge patches. */
  readonly custom?: boolean
}

export interface DecodedPatch {
  readonly patchType: PatchType
  readonly patch: unknown
  /** An error for each duplicate field of the patch; empty if `fieldValidation` is Ignore. */
  readonly strictErrors: ReadonlyArray<string>
}

/** Parameters are not read, however malformed they are. Upstream: endpoints/handlers/patch.go. */
const typeOfPatch = (contentType: string): string => {
  const semicolon = contentType.indexOf(";")
  return semicolon > 0 ? contentType.slice(0, semicolon) : contentType
}

/**
 * Returns the patch type of a Content-Type; fails with 415 and the accepted types. The router of built-in kinds has
 * refused other types before, unless the header names several.
 */
export const patchTypeOf = (contentType: string | undefined, custom = false): Result.Result<PatchType, Status> => {
  const type = patchTypes.get(typeOfPatch(contentType ?? ""))
  if (type !== undefined && !(custom && type === "strategic")) return Result.succeed(type)
  const accepted = [...patchTypes.keys()].filter((name) => !custom || !name.includes("strategic"))
  return Result.fail(unsupportedMediaType(accepted))
}

/** Returns the name of a JSON type as Go prints it. */
const jsonTypeOf = (value: unknown): string =>
  (Array.isArray(value) ? "array" : typeof value).replace("boolean", "bool")

const decodeApply = function* ({ bytes, fieldValidation }: PatchBody): Steps<Result.Result<DecodedPatch, Status>> {
  const yaml = yield* readYamlInSteps(textOf(bytes), bytes)
  if (Result.isFailure(yaml)) {
    return Result.fail(badRequest(`error decoding YAML: error converting YAML to JSON: ${yaml.failure}`))
  }
  const { strictErrors, value } = yaml.success
  if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
    const why = `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`
    return Result.fail(badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`))
  }
  return Result.succeed({
    patchType: "apply",
    patch: value ?? {},
    strictErrors:
      fieldValidation === "Ignore" ? [] : strictErrors.map((each) => `error converting YAML to JSON: ${each}`)
  })
}

/**
 * Decodes the body of a PATCH by its patch type; fails with the Status of a real server.
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go.
 */
export const decodePatchInSteps = function* (body: PatchBody): Steps<Result.Result<DecodedPatch, Status>> {
  const patchType = patchTypeOf(body.contentType, body.custom)
  if (Result.isFailure(patchType)) return Result.fail(patchType.failure)
  const form = patchType.success
  if (form === "apply") return yield* decodeApply(body)
  const text = withoutLoneSurrogates(textOf(body.bytes))
  // The patch library keeps the texts of numbers. Strategic patches are of values.
  const parse = form === "strategic" ? parseJson : form === "json" ? parseJsonPatch : parsePatchJson
  const parsed = parse(text)
  yield
  const isStrict = body.fieldValidation !== "Ignore"
  if (form === "json") return isStrict ? decodeOperations(text, parsed) : readOperations(parsed)
  if (form === "merge" && !isStrict) return readMergePatch(parsed)
  const prefix = form === "merge" ? "error decoding patch: " : ""
  if (Result.isFailure(parsed)) return Result.fail(badRequest(`${prefix}${parsed.failure}`))
  const patch = parsed.success
  if (typeof patch !== "object" || Array.isArray(patch)) {
    return Result.fail(badRequest(`${prefix}${mismatch(patch, "map[string]interface {}")}`))
  }
  const strictErrors = isStrict ? duplicateFieldErrors(text, patch) : []
  return Result.succeed({ patchType: form, patch: form === "merge" ? patch : (patch ?? {}), strictErrors })
}

const mismatch = (found: unknown, into: string): string =>
  `json: cannot unmarshal ${jsonTypeOf(found)} into Go value of type ${into}`

type Parsed = Result.Result<unknown, string>

const textType = { type: "scalar", scalar: "string" } as const

/** The Go struct of an operation. */
const operation: MessageType = {
  fullName: "handlers.jsonPatchOp",
  name: "jsonPatchOp",
  goPackage: "handlers",
  fields: new Map(
    (["op", "path", "from", "value"] as const).map((name) => {
      const type = name === "value" ? ({ type: "scalar", scalar: "any" } as const) : textType
      return [name, { name, number: 0, type, required: false, omitEmpty: true, pointer: true }]
    })
  ),
  atomic: false
}

/** Decodes a JSON patch strictly: by Go's struct of an operation. */
const decodeOperations = (text: string, parsed: Parsed): Result.Result<DecodedPatch, Status> => {
  const refuse = (why: string) => Result.fail(badRequest(`error decoding patch: ${why}`))
  if (Result.isFailure(parsed)) return refuse(parsed.failure)
  const decoded = decodeJsonList(operation, text)
  if (Result.isFailure(decoded)) return refuse(decoded.failure)
  const strictErrors = decoded.success.strictErrors.map((error) => `json patch ${error}`)
  return Result.succeed({ patchType: "json", patch: parsed.success ?? [], strictErrors })
}

/** Reads a JSON patch as the patch library does, which upstream does in any case and alone if validation is off. */
const readOperations = (parsed: Parsed): Result.Result<DecodedPatch, Status> => {
  if (Result.isFailure(parsed)) return Result.fail(badRequest(parsed.failure))
  const patch = parsed.success ?? []
  if (!Array.isArray(patch)) return Result.fail(badRequest(mismatch(patch, "jsonpatch.Patch")))
  const wrong = patch.find((each) => each !== null && (typeof each !== "object" || Array.isArray(each)))
  if (wrong !== undefined) return Result.fail(badRequest(mismatch(wrong, "jsonpatch.Operation")))
  return Result.succeed({ patchType: "json", patch, strictErrors: [] })
}

/** Reads a merge patch as the patch library does: a list is a patch, too, which replaces the object. */
const readMergePatch = (parsed: Parsed): Result.Result<DecodedPatch, Status> =>
  Result.isFailure(parsed) || typeof parsed.success !== "object"
    ? Result.fail(badRequest("Invalid JSON Patch"))
    : Result.succeed({ patchType: "merge", patch: parsed.success, strictErrors: [] })

/** Does the work of `decodePatchInSteps` in one piece, without pauses. */
export const decodePatch = (body: PatchBody): Result.Result<DecodedPatch, Status> =>
  runAllSteps(decodePatchInSteps(body))

/** A message type with no known fields that keeps unknown ones: decoding by it reports duplicate fields only. */
const anyMessage: MessageType = {
  fullName: "",
  name: "",
  goPackage: "",
  fields: new Map(),
  atomic: false,
  preserveUnknown: true
}

/** Returns `duplicate field "spec.x"` for each duplicate field, by path. */
const duplicateFieldErrors = (text: string, parsed: unknown): ReadonlyArray<string> => {
  const decoded = decodeJson(anyMessage, text, Result.succeed(parsed))
  return Result.isSuccess(decoded) ? decoded.success.strictErrors : []
}
