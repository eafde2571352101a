import { genericResponse, isKindName, type KubeObject, type ObjectMeta, type Status } from "@rollcall/api"
import {
  applyJsonPatch,
  applyJsonPatchInSteps,
  applyMergePatch,
  applyStrategicPatch,
  statusOfPatchError
} from "@rollcall/api/patch"
import { isFields } from "@rollcall/api/values"
import { keepsText, withNulls } from "@rollcall/api/wire"
import type { PatchRequest, Subresource, UpdateRequest } from "@rollcall/cluster"
import { managerName } from "@rollcall/field-ownership"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import { applyPatch } from "./applyPatch.ts"
import { addressMismatch, bodyOf, unconvertible } from "./bodies.ts"
import { createOnUpdate } from "./create.ts"
import { decodePatched } from "./decodePatched.ts"
import { withoutDuplicateOwners } from "./duplicateOwners.ts"
import type { Exchange } from "./Exchange.ts"
import { type Change, rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"
import { rewriteScale, scaleMismatch } from "./scaleWrites.ts"
import { uidConflict } from "./uidConflict.ts"
import { PATCH_ATTEMPTS, patchRefusal, writeOptionsRefusal } from "./writeOptions.ts"

/** The maximum number of tries of a PUT without a resourceVersion when others write the object concurrently. */
const UNCONDITIONAL_ATTEMPTS = 100

type Address = Pick<UpdateRequest, "name" | "namespace" | "subresource" | "dryRun" | "fieldManager">

const targetOf = ({ identity }: Exchange, state: KindState, request: Address): Target => ({
  state,
  namespace: state.definition.resource.namespaced ? (request.namespace ?? "") : "",
  name: request.name,
  subresource: request.subresource,
  dryRun: request.dryRun === true,
  manager: managerName(request.fieldManager, identity.userAgent)
})

const patchable: ReadonlySet<Subresource> = new Set(["status", "scale", "ephemeralcontainers", "resize", "approval"])
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
  if (request.subresource === "scale") {
    const mismatch = isFields(request.object) ? scaleMismatch(request.object.metadata, target) : undefined
    if (mismatch !== undefined) return exchange.refuse(mismatch)
    return rewriteScale(core, exchange, target, (_, { uid: stored }) => {
      const { uid } = metadataOf(request.object)
      if (!uid || uid === stored) return Result.succeed(request.object)
      return Result.fail(uidConflict(target, state.cache.keyOf(target.namespace, target.name), uid, stored))
    })
  }
  const body = bodyOf(definition, request.object)
  if (Result.isFailure(body)) return exchange.refuse(body.failure)
  const given = withoutDuplicateOwners(exchange, body.success, "received")
  const mismatch = unconvertible(definition, given) ?? addressMismatch(given, target.namespace, target.name)
  if (mismatch !== undefined) return exchange.refuse(mismatch)
  if (definition.allowCreateOnUpdate && state.cache.get(target.namespace, target.name) === undefined) {
    return createOnUpdate(core, exchange, target, given)
  }
  const options = { attempts: UNCONDITIONAL_ATTEMPTS, exchange }
  rewrite(
    core,
    exchange.identity,
    target,
    () => Result.succeed(given),
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
      return Result.isFailure(result)
        ? result
        : decodePatched(core, exchange, definition, request, scale, result.success)
    })
  }
  const toObject = (stored: KubeObject, value: unknown): Result.Result<KubeObject, Status> => {
    const decoded = decodePatched(core, exchange, definition, request, stored, value)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    const body = bodyOf(definition, decoded.success)
    if (Result.isFailure(body)) return body
    const mismatch = addressMismatch(body.success, target.namespace, target.name)
    return mismatch === undefined ? body : Result.fail(mismatch)
  }
  const toObjectInSteps = function* (stored: KubeObject, value: unknown): Steps<Result.Result<KubeObject, Status>> {
    yield
    return toObject(stored, value)
  }
  // A patch that changes no value can change the text of one.
  const changesTexts = core.ownership !== undefined && keepsText(core.ownership.typeOf(definition))
  /** Returns the new state for a stored object, from the result of the patch on it. */
  const newState = (
    stored: KubeObject,
    result: Result.Result<unknown, Status>
  ): MaybeSteps<Result.Result<KubeObject, Status>> => {
    if (Result.isFailure(result)) return Result.fail(result.failure)
    if (result.success === stored && request.strictErrors === undefined && !changesTexts) return Result.succeed(stored)
    return core.turns.isOver ? toObjectInSteps(stored, result.success) : toObject(stored, result.success)
  }
  const jsonPatchInSteps = function* (stored: KubeObject): Steps<Result.Result<KubeObject, Status>> {
    const result = newState(
      stored,
      Result.mapError(yield* applyJsonPatchInSteps(withNulls(stored), request.body), statusOfPatchError)
    )
    return isSteps(result) ? yield* result : result
  }
  // Many operations can take long, so a JSON patch is applied in steps; the other types take one pass.
  const change: Change = (stored) =>
    request.patchType === "json" ? jsonPatchInSteps(stored) : newState(stored, patched(definition, request, stored))
  const options = { attempts: PATCH_ATTEMPTS, patch: true, exchange }
  rewrite(core, exchange.identity, target, change, options, (result) => exchange.finish(result))
}

/** Returns the document after the patch, or why the patch cannot be applied. */
const patched = (
  definition: KindDefinition,
  request: PatchRequest,
  document: unknown
): Result.Result<unknown, Status> => Result.mapError(apply(definition, request, document), statusOfPatchError)

/** Applies a patch to the document as Go writes it. */
const apply = ({ resource }: KindDefinition, { body, patchType }: PatchRequest, object: unknown) => {
  const document = withNulls(object)
  if (patchType === "json") return applyJsonPatch(document, body)
  return patchType === "merge" || !isKindName(resource.kind)
    ? applyMergePatch(document, body)
    : applyStrategicPatch(resource.kind, document, body)
}

const metadataOf = (body: unknown): ObjectMeta => (isFields(body) && isFields(body.metadata) ? body.metadata : {})
