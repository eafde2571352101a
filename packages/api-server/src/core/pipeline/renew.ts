import { formatTime, type KubeObject, type ObjectMeta, type Status } from "@rollcall/api"
import { type Fields, isFields, sameValue } from "@rollcall/api/values"
import type { UpdateRequest } from "@rollcall/cluster"
import { managerName, renewedEntries } from "@rollcall/field-ownership"
import { isSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import type { Cached } from "../watch/KindCache.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { refuseOnError } from "./continuations.ts"
import { storeErrorStatus } from "./create.ts"
import { Exchange, type Identity, type Reply } from "./Exchange.ts"
import type { FreshMeta } from "./metadata.ts"
import type { ServerCore } from "./ServerCore.ts"
import { update } from "./update.ts"

const NO_WARNINGS: ReadonlyArray<string> = []

/**
 * Handles an update on the fast path for heartbeats, because for each other write there are thousands of lease renewals.
 * Takes only an update that leaves the metadata unchanged and changes only what its kind considers a renewal. Then name,
 * uid and revision are correct, nothing is merged, and only the kind's quick validation remains. Returns the cache entry
 * of the renewed object, which the caller passes as `last` for the next renewal over the same connection, nearly always
 * of the same object. Returns undefined if it has done nothing: the caller must take the normal path.
 */
export const renew = (
  core: ServerCore,
  identity: Identity,
  state: KindState,
  request: UpdateRequest,
  reply: Reply,
  last: Cached | undefined
): Cached | undefined => {
  const { definition } = state
  const { isRenewal } = definition.strategy
  if (isRenewal === undefined || request.subresource !== undefined || request.dryRun === true) return undefined
  const cached = state.cache.getAgain(last, request.namespace ?? "", request.name)
  if (cached === undefined) return undefined
  const stored = cached.object
  const given = requestedObject(request.object, stored)
  if (given === undefined || !isRenewal(given, stored)) return undefined
  if (!isAdmittedUnchanged(core, identity, state, request, given, stored)) return undefined
  if (definition.validateUpdate(given, stored).length > 0) return undefined

  const object: KubeObject = { ...given, metadata: { ...stored.metadata } }
  if (core.ownership !== undefined) {
    const manager = managerName(request.fieldManager, identity.userAgent)
    const entries = renewedEntries(given, stored, manager, formatTime(core.timers.now()))
    if (entries === "notRenewal") return undefined
    const metadata: FreshMeta = object.metadata
    if (entries !== undefined) metadata.managedFields = entries
  }
  core.registry.update(state, cached, object, (result) => {
    if (Result.isFailure(result)) {
      const exchange = new Exchange(identity, request, reply, core.audit)
      const { failure } = result
      // A store that fails has taken its time already.
      if (failure._tag === "StoreFailure") return exchange.refuse(storeErrorStatus(failure))
      return retryAsUpdate(core, exchange, state, request)
    }
    core.audit?.({ identity, request, code: 200, object })
    reply(Result.succeed(object), 200, NO_WARNINGS)
  })
  return cached
}

/** Whether admission accepts the update unchanged. A refusal is repeated on the normal path, which reports it. */
const isAdmittedUnchanged = (
  core: ServerCore,
  identity: Identity,
  state: KindState,
  { name, namespace = "" }: UpdateRequest,
  given: KubeObject,
  stored: KubeObject
): boolean => {
  const chain = core.admission.get(state.definition.key, "update", undefined)
  if (chain === undefined) return true
  const target = { state, namespace, name, subresource: undefined, dryRun: false }
  const attributes = attributesOf(identity, target, "update", given, stored)
  const admitted = chain.mutate(attributes)
  // What waits is admitted on the normal path.
  if (isSteps(admitted) || Result.isFailure(admitted) || admitted.success !== given) return false
  const isChecked = chain.check === undefined || chain.check(attributes).length === 0
  return isChecked && chain.validate(attributes) === undefined
}

/** Handles the update on the normal path, after another request has written the object. */
const retryAsUpdate = (core: ServerCore, exchange: Exchange, state: KindState, request: UpdateRequest): void => {
  const refuse = (status: Status) => exchange.refuse(status)
  core.registry.whenCurrent(refuseOnError(core, refuse, () => update(core, exchange, state, request)))
}

/**
 * Returns the requested object with the stored metadata, if the request does not change that: in process the metadata is
 * the same reference, over HTTP it is decoded anew. Returns undefined if the request changes kind or metadata.
 */
const requestedObject = (given: unknown, stored: KubeObject): KubeObject | undefined => {
  if (!isFields(given) || given.kind !== stored.kind || given.apiVersion !== stored.apiVersion) return undefined
  const { metadata } = given
  if (metadata === stored.metadata) return given as typeof given & KubeObject
  if (!isFields(metadata) || !isUnchanged(metadata, stored.metadata)) return undefined
  return { ...given, metadata: stored.metadata } as typeof given & KubeObject
}

/** Fields that an update may omit, because the server restores them. */
const restoredFields: ReadonlySet<string> = new Set([
  "uid",
  "creationTimestamp",
  "generation",
  "managedFields",
  "selfLink"
])

/** Whether the given metadata has the stored values, apart from omitted fields that the server restores. */
const isUnchanged = (given: Fields, stored: ObjectMeta): boolean => {
  if (given.resourceVersion !== stored.resourceVersion) return false
  const before = stored as Fields
  for (const key in given) {
    if (given[key] !== before[key] && !sameValue(given[key], before[key])) return false
  }
  for (const key in before) if (given[key] === undefined && !restoredFields.has(key)) return false
  return true
}
