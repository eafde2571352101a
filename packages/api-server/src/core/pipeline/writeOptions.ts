import { badRequest, invalid, type Status } from "@rollcall/api"
import { type FieldErrors, validatePatchOptions, validateWriteOptions } from "@rollcall/api/validation"
import type { CreateRequest, PatchRequest, UpdateRequest } from "@rollcall/cluster"

/**
 * The maximum number of tries of a patch when others write the object concurrently. Upstream:
 * apiserver/pkg/endpoints/handlers/patch.go, MaxRetryWhenPatchConflicts (5 retries).
 */
export const PATCH_ATTEMPTS = 6

/** The options of a write that are validated; nearly all writes have none. */
type Options = Pick<CreateRequest | UpdateRequest | PatchRequest, "fieldManager" | "fieldValidation">

const refusal = (kind: string, errors: FieldErrors): Status | undefined =>
  errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind }, "", errors)

/** Returns the options without absent ones. */
const presentOptions = ({ fieldManager, fieldValidation }: Options) => ({
  ...(fieldManager === undefined ? {} : { fieldManager }),
  ...(fieldValidation === undefined ? {} : { fieldValidation })
})

const hasNone = ({ fieldManager, fieldValidation }: Options): boolean =>
  fieldManager === undefined && fieldValidation === undefined

/** Returns why the options of a create or update are invalid, or undefined. */
export const writeOptionsRefusal = (kind: "CreateOptions" | "UpdateOptions", request: Options): Status | undefined =>
  hasNone(request) ? undefined : refusal(kind, validateWriteOptions(presentOptions(request)))

/** Returns why the options of a patch, or the outer form of its body, are invalid, or undefined. */
export const patchRefusal = (request: PatchRequest): Status | undefined => {
  const { body, force, patchType } = request
  if (!hasNone(request) || force !== undefined) {
    const options = { ...presentOptions(request), ...(force === undefined ? {} : { force }) }
    const refused = refusal("PatchOptions", validatePatchOptions(options, patchType))
    if (refused !== undefined) return refused
  }
  if (patchType === "json") return Array.isArray(body) ? undefined : undecodable(body, "[]handlers.jsonPatchOp")
  // Without validation the patch library alone decides, which takes a list as well.
  if (patchType === "merge" && request.fieldValidation === "Ignore") return undefined
  const isMap = typeof body === "object" && !Array.isArray(body)
  return isMap ? undefined : undecodable(body, "map[string]interface {}")
}

const undecodable = (body: unknown, into: string): Status => {
  const found = Array.isArray(body) ? "array" : typeof body === "boolean" ? "bool" : typeof body
  return badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type ${into}`)
}
