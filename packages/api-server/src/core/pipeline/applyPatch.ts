import {
  badRequest,
  conflict,
  genericResponse,
  groupResourceOf,
  type KubeObject,
  notFound,
  type ObjectMeta,
  type Status
} from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import type { PatchRequest } from "@rollcall/cluster"
import { scaleVersion } from "@rollcall/field-ownership"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { markAppliedNulls } from "../objects/appliedNulls.ts"
import { strictWarnings } from "../objects/strictWarnings.ts"
import { isCustom } from "../registry/KindDefinition.ts"
import type { Target } from "../registry/KindState.ts"
import { addressMismatch } from "./bodies.ts"
import { runSteps } from "./continuations.ts"
import { createOnUpdate } from "./create.ts"
import type { Exchange } from "./Exchange.ts"
import { type Change, rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"
import { applyToScale } from "./scaleWrites.ts"
import { PATCH_ATTEMPTS } from "./writeOptions.ts"

/** PATCH of type apply (server-side apply): applies the configuration to the object, or creates it. */
export const applyPatch = (core: ServerCore, exchange: Exchange, target: Target, request: PatchRequest) => {
  const { ownership } = core
  if (ownership === undefined) {
    return exchange.refuse({ ...genericResponse(415), message: "415: Unsupported Media Type" })
  }
  const resource = groupResourceOf(target.state.definition.resource)
  const isMissing = target.state.cache.get(target.namespace, target.name) === undefined
  if (isMissing && !createsMissing(target)) return exchange.refuse(notFound(resource, target.name))
  const config = configOf(target, request.body)
  if (Result.isFailure(config)) return exchange.refuse(config.failure)
  if (target.subresource === "scale") {
    const refused = () => strictRefusal(exchange, request)
    return applyToScale(core, ownership, exchange, target, config.success, request, refused)
  }
  // `applied` records the owners, so that the write itself, without a manager, does not.
  const { manager: _, ...unowned } = target
  const change = function* (stored: KubeObject): Steps<Result.Result<KubeObject, Status>> {
    const { manager = "unknown", state, subresource } = target
    const write = { definition: state.definition, subresource, manager }
    const applied = yield* ownership.appliedInSteps(write, stored, config.success, request.force === true)
    if (Result.isFailure(applied)) return applied
    const refusal = strictRefusal(exchange, request)
    if (refusal !== undefined) return Result.fail(refusal)
    const { uid } = applied.success.metadata
    if (isMissing && uid !== undefined && uid !== "") {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      return Result.fail(conflict(resource, target.name, why))
    }
    const mismatch = addressMismatch(applied.success, target.namespace, target.name)
    if (mismatch !== undefined) return Result.fail(mismatch)
    return isCustom(state.definition) && applied.success !== stored
      ? Result.succeed(markAppliedNulls(applied.success, config.success))
      : applied
  }
  if (isMissing) {
    const refuse = (status: Status) => exchange.refuse(status)
    return runSteps(core, exchange.identity.user, applyToNewInSteps(core, exchange, unowned, change), refuse)
  }
  rewrite(core, exchange.identity, unowned, change, { attempts: PATCH_ATTEMPTS, patch: true, exchange }, (result) =>
    exchange.finish(result)
  )
}

/** Whether an apply creates the object: that to a subresource does so only for kinds whose update creates. */
const createsMissing = ({ state: { definition }, subresource }: Target): boolean =>
  subresource === undefined ||
  (subresource === "status" && (definition.allowCreateOnUpdate || definition.createsOnStatusApply))

/** Reports the strict decoding errors of the configuration: as warnings, or as the refusal of the applied object. */
const strictRefusal = (
  exchange: Exchange,
  { fieldValidation, strictErrors = [] }: PatchRequest
): Status | undefined => {
  const [error] = strictErrors
  if (error !== undefined && fieldValidation === "Strict") return badRequest(`error strict decoding YAML: ${error}`)
  for (const warning of strictWarnings(strictErrors)) exchange.warn(warning)
  return undefined
}

/** Applies the configuration to an object without fields, and creates the result. */
const applyToNewInSteps = function* (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  change: Change
): Steps<void> {
  const { apiVersion, resource } = target.state.definition
  const { kind } = resource
  const pending = change({ apiVersion, kind, metadata: {} })
  const result = isSteps(pending) ? yield* pending : pending
  if (Result.isFailure(result)) return exchange.refuse(result.failure)
  createOnUpdate(core, exchange, target, result.success)
}

/** Returns the applied configuration as an object of the stored kind, or as a Scale. */
const configOf = ({ state, subresource }: Target, body: unknown): Result.Result<KubeObject, Status> => {
  const { apiVersion, resource } = state.definition
  const given = isFields(body) ? body : {}
  const expected =
    subresource === "scale" ? { apiVersion: scaleVersion, kind: "Scale" } : { apiVersion, kind: resource.kind }
  if (given.apiVersion !== expected.apiVersion || given.kind !== expected.kind) {
    return Result.fail(badRequest(`invalid object type: ${kindText(given.apiVersion, given.kind)}`))
  }
  // Other values fail as metadata of the wrong type.
  const metadata = (given.metadata ?? {}) as ObjectMeta
  return Result.succeed({ ...given, ...expected, metadata })
}

/** Formats a kind with its group and version as Go does. */
const kindText = (apiVersion: unknown, kind: unknown): string => {
  const text = typeof apiVersion === "string" ? apiVersion : ""
  // Go makes neither a version nor a kind of a version that it cannot parse.
  if (text.indexOf("/") !== text.lastIndexOf("/")) return "/, Kind="
  return `${text.includes("/") ? text : `/${text}`}, Kind=${typeof kind === "string" ? kind : ""}`
}
