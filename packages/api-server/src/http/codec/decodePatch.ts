import { badRequest, invalid, type Status } from "@rollcall/api"
import { decodeJson, decodeValue, type MessageType, parseJson, withoutLoneSurrogates } from "@rollcall/api/wire"
import type { PatchType } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { runAllSteps, type Steps } from "../../core/turns/Steps.ts"
import { contentTypeOf } from "../request/mediaTypes.ts"
import { type DecodedBody, type FieldValidation, textOf } from "./decodeBody.ts"
import { strictText, unsupportedMediaType } from "./refusals.ts"
import { readYamlInSteps } from "./yamlText.ts"

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

/** Returns the patch type of a Content-Type; fails with 415 and the accepted types. */
export const patchTypeOf = (contentType: string | undefined, custom = false): Result.Result<PatchType, Status> => {
  const type = patchTypes.get(contentTypeOf(contentType))
  if (type !== undefined && !(custom && type === "strategic")) return Result.succeed(type)
  const accepted = [...patchTypes.keys()].filter((name) => !custom || !name.includes("strategic"))
  return Result.fail(unsupportedMediaType(accepted))
}

/** Returns the name of a JSON type as Go prints it. */
const jsonTypeOf = (value: unknown): string =>
  (Array.isArray(value) ? "array" : typeof value).replace("boolean", "bool")

const decodeApply = function* ({ bytes, fieldValidation }: PatchBody): Steps<Result.Result<DecodedPatch, Status>> {
  const yaml = yield* readYamlInSteps(textOf(bytes))
  if (Result.isFailure(yaml)) {
    return Result.fail(badRequest(`error decoding YAML: error converting YAML to JSON: ${yaml.failure}`))
  }
  const { strictErrors, value } = yaml.success
  if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
    const why = `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`
    return Result.fail(badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`))
  }
  if (strictErrors.length > 0 && fieldValidation === "Strict") {
    return Result.fail(badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strictErrors[0]}`))
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
  const parsed = parseJson(text)
  yield
  // Only JSON and merge patches have the prefix upstream.
  const prefix = form === "strategic" ? "" : "error decoding patch: "
  if (Result.isFailure(parsed)) return Result.fail(badRequest(`${prefix}${parsed.failure}`))
  const patch = parsed.success
  const into = form === "json" ? "[]handlers.jsonPatchOp" : "map[string]interface {}"
  const fits = form === "json" ? Array.isArray(patch) : typeof patch === "object" && !Array.isArray(patch)
  if (!fits && patch !== null) {
    return Result.fail(badRequest(`${prefix}json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type ${into}`))
  }
  const strictErrors = body.fieldValidation === "Ignore" || form === "json" ? [] : duplicateFieldErrors(text, patch)
  return Result.succeed({ patchType: form, patch: patch ?? (form === "json" ? [] : {}), strictErrors })
}

/** Does the work of `decodePatchInSteps` in one piece, without pauses. */
export const decodePatch = (body: PatchBody): Result.Result<DecodedPatch, Status> =>
  runAllSteps(decodePatchInSteps(body))

/**
 * Decodes the result of a JSON or merge patch as Go would; fails with a 422 about the field `patch`. `patchErrors` are
 * the strict errors of the patch itself, which come before those of the result.
 */
export const decodePatched = (
  type: MessageType,
  patched: unknown,
  fieldValidation: FieldValidation,
  patchErrors: ReadonlyArray<string> = [],
  custom = false
): Result.Result<DecodedBody, Status> => {
  const refused = (why: string) =>
    Result.fail(
      invalid({ group: "", kind: "" }, "", [
        { type: "FieldValueInvalid", field: "patch", badValue: JSON.stringify(patched), detail: why }
      ])
    )
  const decoded = decodeValue(type, patched, { structural: custom })
  if (Result.isFailure(decoded)) return refused(decoded.failure)
  const strictErrors = [...patchErrors, ...decoded.success.strictErrors]
  if (fieldValidation === "Strict" && strictErrors.length > 0) return refused(strictText(strictErrors))
  const object = decoded.success.value as Readonly<Record<string, unknown>>
  return Result.succeed({ object, warnings: fieldValidation === "Warn" ? strictErrors : [] })
}

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
