import { genericResponse, invalid, isKindName, type KubeObject, type Status } from "@rollcall/api"
import {
  applyJsonPatch,
  applyJsonPatchInSteps,
  applyMergePatch,
  applyStrategicPatch,
  goText,
  type Json,
  statusOfPatchError
} from "@rollcall/api/patch"
import { decodeValue, type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { PatchRequest, Subresource, UpdateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { managerName } from "../apply/renewedEntries.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import { isSteps, type MaybeSteps, type Steps } from "../turns/Steps.ts"
import { applyPatch } from "./applyPatch.ts"
import { addressMismatch, bodyOf } from "./bodies.ts"
import { createObject } from "./create.ts"
import type { Exchange } from "./Exchange.ts"
import { type Change, rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"
import { scaleOf, withScale } from "./scale.ts"
import { PATCH_ATTEMPTS, patchRefusal, writeOptionsRefusal } from "./writeOptions.ts"

/** The maximum number of tries of a PUT without a resourceVersion when others write the object concurrently. */
const UNCONDITIONAL_ATTEMPTS = 100

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" }

type Address = Pick<UpdateRequest, "name" | "namespace" | "subresource" | "dryRun" | "fieldManager">

const targetOf = ({ identity }: Exchange, state: KindState, request: Address): Target => ({
  state,
  namespace: state.definition.resource.namespaced ? (request.namespace ?? "") : "",
  name: request.name,
  subresource: request.subresource,
  dryRun: request.dryRun === true,
  manager: managerName(request.fieldManager, identity.userAgent)
})

const patchable: ReadonlySet<Subresource> = new Set(["status", "scale"])
const updatable: ReadonlySet<Subresource> = new Set([...patchable, "finalize"])

/** Returns why this subresource cannot be written by the verb, which can write those in `writable`. */
const subresourceRefusal = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  writable: ReadonlySet<Subresource>
): Status | undefined => {
  if (subresource === undefined) return undefined
  if (!definition.subresources.has(subresource)) return genericResponse(404)
  return writable.has(subresource) ? undefined : genericResponse(405)
}

/** PUT of an object, its status, its scale, or a namespace's finalizers. */
export const update = (core: ServerCore, exchange: Exchange, state: KindState, request: UpdateRequest) => {
  const { definition } = state
  const refusal =
    subresourceRefusal(definition, request.subresource, updatable) ?? writeOptionsRefusal("UpdateOptions", request)
  if (refusal !== undefined) return exchange.refuse(refusal)
  const target = targetOf(exchange, state, request)
  if (request.subresource === "scale") return rewriteScale(core, exchange, target, () => Result.succeed(request.object))
  const body = bodyOf(definition, request.object)
  if (Result.isFailure(body)) return exchange.refuse(body.failure)
  const mismatch = addressMismatch(body.success, target.namespace, target.name)
  if (mismatch !== undefined) return exchange.refuse(mismatch)
  if (definition.allowCreateOnUpdate && state.cache.get(target.namespace, target.name) === undefined) {
    return createObject(core, exchange, target, body.success)
  }
  const options = { attempts: UNCONDITIONAL_ATTEMPTS, exchange }
  rewrite(
    core,
    exchange.identity,
    target,
    () => body,
    options,
    (result) => exchange.finish(result)
  )
}

/** PATCH. Patches of type apply are handed to `applyPatch`. */
export const patch = (core: ServerCore, exchange: Exchange, state: KindState, request: PatchRequest) => {
  const { definition } = state
  const refusal = subresourceRefusal(definition, request.subresource, patchable) ?? patchRefusal(request)
  if (refusal !== undefined) return exchange.refuse(refusal)
  const target = targetOf(exchange, state, request)
  if (request.patchType === "apply") return applyPatch(core, exchange, target, request)
  if (request.subresource === "scale") {
    return rewriteScale(core, exchange, target, (scale) => {
      const result = patched(definition, request, scale)
      return Result.isFailure(result) ? result : decodePatched(core, exchange, definition, request, result.success)
    })
  }
  const toObject = (value: unknown): Result.Result<KubeObject, Status> => {
    const decoded = decodePatched(core, exchange, definition, request, value)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    const body = bodyOf(definition, decoded.success)
    if (Result.isFailure(body)) return body
    const mismatch = addressMismatch(body.success, target.namespace, target.name)
    return mismatch === undefined ? body : Result.fail(mismatch)
  }
  const toObjectInSteps = function* (value: unknown): Steps<Result.Result<KubeObject, Status>> {
    yield
    return toObject(value)
  }
  /** Returns the new state for a stored object, from the result of the patch on it. */
  const newState = (
    stored: KubeObject,
    result: Result.Result<unknown, Status>
  ): MaybeSteps<Result.Result<KubeObject, Status>> => {
    if (Result.isFailure(result)) return Result.fail(result.failure)
    if (result.success === stored && request.strictErrors === undefined) return Result.succeed(stored)
    return core.turns.isOver ? toObjectInSteps(result.success) : toObject(result.success)
  }
  const jsonPatchInSteps = function* (stored: KubeObject): Steps<Result.Result<KubeObject, Status>> {
    const result = newState(
      stored,
      Result.mapError(yield* applyJsonPatchInSteps(stored, request.body), statusOfPatchError)
    )
    return isSteps(result) ? yield* result : result
  }
  // Many operations can take long, so a JSON patch is applied in steps; the other types take one pass.
  const change: Change = (stored) =>
    request.patchType === "json" ? jsonPatchInSteps(stored) : newState(stored, patched(definition, request, stored))
  const options = { attempts: PATCH_ATTEMPTS, patch: true, exchange }
  rewrite(core, exchange.identity, target, change, options, (result) => exchange.finish(result))
}

/** Decodes the result of a patch as Go would; returns it unchanged if the server does not maintain managedFields. */
const decodePatched = (
  { ownership }: ServerCore,
  exchange: Exchange,
  definition: KindDefinition,
  request: PatchRequest,
  value: unknown
): Result.Result<unknown, Status> => {
  if (ownership === undefined) return Result.succeed(value)
  const scale = request.subresource === "scale" ? wireTypeOfGvk(scaleKind) : undefined
  const custom = scale === undefined && definition.message !== undefined
  return decodeStrictly(exchange, scale ?? ownership.typeOf(definition), custom, request, value)
}

/** Returns the document after the patch, or why the patch cannot be applied. */
const patched = (
  definition: KindDefinition,
  request: PatchRequest,
  document: unknown
): Result.Result<unknown, Status> => Result.mapError(apply(definition, request, document), statusOfPatchError)

const apply = ({ resource }: KindDefinition, { body, patchType }: PatchRequest, document: unknown) => {
  if (patchType === "json") return applyJsonPatch(document, body)
  return patchType === "merge" || !isKindName(resource.kind)
    ? applyMergePatch(document, body)
    : applyStrategicPatch(resource.kind, document, body)
}

/** Writes an object through its scale subresource. `requested` returns the new Scale for the present one. */
const rewriteScale = (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  requested: (scale: unknown) => Result.Result<unknown, Status>
) => {
  const { scale: paths } = target.state.definition
  const change: Change = (stored) => {
    const scale = requested(scaleOf(stored, paths))
    return Result.isFailure(scale) ? Result.fail(scale.failure) : withScale(stored, scale.success, paths)
  }
  rewrite(core, exchange.identity, target, change, { attempts: PATCH_ATTEMPTS }, (result) => {
    if (Result.isFailure(result)) exchange.refuse(result.failure)
    else exchange.ok(scaleOf(result.success, paths), 200, result.success)
  })
}

const noErrors: ReadonlyArray<string> = []

/**
 * Decodes the result of a patch as strictly as any body: unknown and duplicate fields lead to warnings or a refusal,
 * nulls are removed. Errors are about the field `patch`; they show a strategic patch itself, for other types the
 * patched object.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go, applyPatchToCurrentObject.
 */
const decodeStrictly = (
  exchange: Exchange,
  type: MessageType,
  structural: boolean,
  request: PatchRequest,
  value: unknown
): Result.Result<unknown, Status> => {
  const { body, fieldValidation = "Warn", patchType, strictErrors = noErrors } = request
  const refuse = (why: string) => {
    const badValue = patchType === "strategic" ? goText(body as Json) : JSON.stringify(value)
    return Result.fail(
      invalid({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", badValue, detail: why }])
    )
  }
  const decoded = decodeValue(type, value, { structural })
  if (Result.isFailure(decoded)) return refuse(decoded.failure)
  const faults = [...strictErrors, ...decoded.success.strictErrors]
  if (fieldValidation === "Strict" && faults.length > 0) return refuse(`strict decoding error: ${faults.join(", ")}`)
  if (fieldValidation === "Warn") for (const fault of faults) exchange.warn(fault)
  return Result.succeed(decoded.success.value)
}
