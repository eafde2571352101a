import {
  conflict,
  groupResourceOf,
  invalid,
  type KubeObject,
  notFound,
  type ObjectMeta,
  type Status,
  staleResourceVersion
} from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { Subresource } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { UserInfo } from "../admission/Admission.ts"
import { sameButTimes } from "../apply/FieldOwnership.ts"
import { shouldDeleteDuringUpdate } from "../deletion/Deletion.ts"
import { sameValue, specOf, statusOf, withSpec, withStatus } from "../objects/values.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { Target } from "../registry/KindState.ts"
import type { StoreReply } from "../registry/Objects.ts"
import { isSteps, type MaybeSteps, type Steps } from "../turns/Steps.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { storeTrouble } from "./create.ts"
import type { Done, Exchange } from "./Exchange.ts"
import { type FreshMeta, metaForUpdate } from "./metadata.ts"
import { goneRefusal } from "./namespaces.ts"
import { inSteps, resumed } from "./resumed.ts"
import type { ServerCore } from "./ServerCore.ts"

/** Computes the new state of the stored object. Called again with a newer one when the write conflicts. */
export type Change = (stored: KubeObject) => MaybeSteps<Result.Result<KubeObject, Status>>

export interface RewriteOptions {
  /** The maximum number of attempts. */
  readonly attempts: number
  /** A change by the server itself: neither admitted, prepared nor validated. */
  readonly internal?: boolean
  /** The change was computed from the stored object: a different uid is invalid, and does not mean another object. */
  readonly patch?: boolean
  /** Receives the kind's warnings. */
  readonly exchange?: Exchange
}

type Rewrite = (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  change: Change,
  options: RewriteOptions,
  done: Done
) => void

/**
 * Reads, changes and writes back an existing object: the only way in which a stored object is changed except by
 * deletion. Upstream: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go, Update.
 */
export const rewrite: Rewrite = (core, userInfo, target, change, options, done) =>
  inSteps(core, userInfo.user, rewriting(core, userInfo, target, change, options, done), (status) =>
    done(Result.fail(status))
  )

const rewriting = function* (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  change: Change,
  options: RewriteOptions,
  done: Done
): Steps<void> {
  const { name, namespace, state } = target
  const { definition } = state
  const cached = state.cache.get(namespace, name)
  if (cached === undefined) return done(Result.fail(notFound(groupResourceOf(definition.resource), name)))
  const stored = cached.object
  const turn = core.turns.count

  const changing = change(stored)
  const changed = isSteps(changing) ? yield* changing : changing
  if (core.turns.isOver) yield
  if (Result.isFailure(changed)) return done(changed)
  const given = changed.success
  const refusal =
    given === stored ? undefined : preconditionRefusal(target, cached.key, stored.metadata, given, options)
  if (refusal !== undefined) return done(Result.fail(refusal))
  const accepted = options.internal
    ? Result.succeed({ ...given, metadata: metaForUpdate(given.metadata, stored.metadata) })
    : yield* accept(core, userInfo, target, given, stored, options.exchange)
  if (Result.isFailure(accepted)) return done(accepted)
  const object = accepted.success

  if (target.dryRun) return done(accepted)
  if (core.turns.isOver) yield
  const finishes = shouldDeleteDuringUpdate(object, stored)
  const same = !finishes && (sameValue(object, stored) || sameButTimes(object, stored))
  if (turn !== core.turns.count) {
    const gone = goneRefusal(core, state)
    if (gone !== undefined) return done(Result.fail(gone))
    // Another request wrote it meanwhile: the store would compare with that state.
    if (cached.object !== stored) return again(core, userInfo, target, change, options, done)
  }
  if (same) return done(Result.succeed(stored))
  const onStored: StoreReply = (result) => {
    if (Result.isSuccess(result)) done(accepted)
    else if (result.failure._tag === "StoreFailure") done(Result.fail(storeTrouble(result.failure)))
    else again(core, userInfo, target, change, options, done)
  }
  const reply = resumed(core, (status) => done(Result.fail(status)), onStored)
  if (finishes) core.registry.remove(state, cached, object, reply)
  else core.registry.update(state, cached, object, reply)
}

/** Retries on the newer state after a conflict, unless the attempts are used up. */
const again: Rewrite = (core, userInfo, target, change, options, done) => {
  if (options.attempts <= 1) {
    return done(Result.fail(staleResourceVersion(groupResourceOf(target.state.definition.resource), target.name)))
  }
  const next = { ...options, attempts: options.attempts - 1 }
  const refuse = (status: Status) => done(Result.fail(status))
  core.registry.whenCurrent(resumed(core, refuse, () => rewrite(core, userInfo, target, change, next, done)))
}

/** Checks the uid and resourceVersion that the caller sent against the stored object. */
const preconditionRefusal = (
  target: Target,
  key: string,
  stored: ObjectMeta,
  given: KubeObject,
  { patch = false }: RewriteOptions
): Status | undefined => {
  const { definition } = target.state
  const { resourceVersion = "", uid = "" } = given.metadata
  if (uid !== "" && uid !== stored.uid && !patch) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.uid}`
    return conflict(
      groupResourceOf(definition.resource),
      target.name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
    )
  }
  if (resourceVersion === "" || resourceVersion === "0") {
    return definition.allowUnconditionalUpdate ? undefined : unconditionalUpdate(definition, target.name)
  }
  return resourceVersion === stored.resourceVersion
    ? undefined
    : staleResourceVersion(groupResourceOf(definition.resource), target.name)
}

const unconditionalUpdate = ({ resource }: KindDefinition, name: string): Status =>
  invalid({ group: resource.group, kind: resource.plural }, name, [
    {
      type: "FieldValueInvalid",
      field: "metadata.resourceVersion",
      badValue: 0,
      detail: "must be specified for an update"
    }
  ])

/** Runs admission, preparation and validation of the requested object. */
const accept = function* (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  requested: KubeObject,
  stored: KubeObject,
  exchange: Exchange | undefined
): Steps<Result.Result<KubeObject, Status>> {
  const { name, state, subresource } = target
  const { definition } = state
  const { resource } = definition
  const chain = core.admission.get(definition.key, "update", subresource)
  let given = requested
  const { manager } = target
  if (core.ownership !== undefined && manager !== undefined && requested !== stored) {
    const complete =
      subresource === undefined && sharesSpec(requested, stored) ? requested : definition.defaults(requested)
    // The requested object with its changed fields owned by the caller.
    given = yield* core.ownership.updated({ definition, subresource, manager }, complete, stored)
  }
  if (core.turns.isOver) yield
  if (chain !== undefined) {
    const admitted = chain.mutate(attributesOf(userInfo, target, "update", given, stored))
    if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
    given = admitted.success ?? given
  }
  const object = allowedChanges(definition, subresource, given, stored)
  if (core.turns.isOver) yield
  const validation =
    definition.validateInSteps?.(object, stored, subresource) ?? faultsOf(definition, subresource, object, stored)
  const errors = isSteps(validation) ? yield* validation : validation
  if (errors.length > 0) return Result.fail(invalid(resource, name, errors))
  if (core.turns.isOver) yield
  if (subresource === undefined && exchange !== undefined) {
    for (const warning of definition.strategy.warnings?.(object) ?? []) exchange.warn(warning)
  }
  const refused = chain?.validate(attributesOf(userInfo, target, "update", object, stored))
  return refused === undefined ? Result.succeed(object) : Result.fail(refused)
}

/** Returns the object with the changes that the written subresource allows. */
const allowedChanges = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  given: KubeObject,
  stored: KubeObject
): KubeObject => {
  if (subresource === "status") return preparedStatus(definition, given, stored)
  return subresource === "finalize"
    ? withSpec({ ...stored, metadata: metaForUpdate(given.metadata, stored.metadata) }, specOf(given))
    : prepared(definition, given, stored)
}

const faultsOf = (
  definition: KindDefinition,
  subresource: Subresource | undefined,
  object: KubeObject,
  stored: KubeObject
): FieldErrors => {
  if (subresource === "status") return definition.validateStatusUpdate(object, stored)
  return subresource === "finalize"
    ? (definition.validateFinalize?.(object, stored) ?? [])
    : definition.validateUpdate(object, stored)
}

/** Returns the update with the changes that the main resource allows: it cannot change the status. */
const prepared = (definition: KindDefinition, given: KubeObject, stored: KubeObject): KubeObject => {
  const { strategy } = definition
  let object: KubeObject = {
    ...(sharesSpec(given, stored) ? given : definition.defaults(given)),
    metadata: metaForUpdate(given.metadata, stored.metadata)
  }
  if (definition.subresources.has("status")) object = withStatus(object, statusOf(stored))
  object = strategy.prepareForUpdate?.(object, stored) ?? object
  if (definition.tracksGeneration && movesGeneration(definition, object, stored)) {
    const metadata: FreshMeta = object.metadata
    metadata.generation = (stored.metadata.generation ?? 0) + 1
  }
  return object
}

/** An object that shares the stored spec needs no defaulting: its other parts were defaulted when they were stored. */
const sharesSpec = (given: KubeObject, stored: KubeObject): boolean =>
  specOf(given) !== undefined && specOf(given) === specOf(stored)

const movesGeneration = ({ strategy }: KindDefinition, object: KubeObject, stored: KubeObject): boolean =>
  !sameValue(specOf(object), specOf(stored)) || strategy.movesGeneration?.(object, stored) === true

/** Returns the changes that the status subresource allows: status and metadata only. */
const preparedStatus = (definition: KindDefinition, given: KubeObject, stored: KubeObject): KubeObject => {
  const { strategy } = definition
  const metadata = metaForUpdate(given.metadata, stored.metadata)
  const object = definition.defaults(withStatus({ ...stored, metadata }, statusOf(given)))
  return strategy.prepareForStatusUpdate?.(object, stored) ?? object
}
