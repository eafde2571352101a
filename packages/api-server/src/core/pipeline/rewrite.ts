import {
  groupResourceOf,
  invalid,
  type KubeObject,
  notFound,
  type ObjectMeta,
  type Status,
  staleResourceVersion,
  unknownError
} from "@rollcall/api"
import { validateChangedMetadata } from "@rollcall/api/validation"
import { sameValue } from "@rollcall/api/values"
import { sameButTimes } from "@rollcall/field-ownership"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { UserInfo } from "../admission/Admission.ts"
import { shouldDeleteDuringUpdate } from "../deletion/Deletion.ts"
import { revisionFault } from "../objects/revisions.ts"
import { haveSameForm } from "../objects/storedForms.ts"
import { errorKindOf } from "../registry/errorKind.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import { type StoreReply, setResourceVersion } from "../registry/Objects.ts"
import type { Cached } from "../watch/KindCache.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { asUpdated } from "./asStored.ts"
import { refuseOnError, runSteps } from "./continuations.ts"
import { convertedInSteps, readBack, readBackUnstored } from "./conversion.ts"
import { storeErrorStatus } from "./create.ts"
import { withoutDuplicateOwners } from "./duplicateOwners.ts"
import type { Done, Exchange } from "./Exchange.ts"
import { metaForUpdate } from "./metadata.ts"
import { unservedRefusal } from "./namespaces.ts"
import { allowedChanges, sharesDefaults, validationErrorsOf } from "./prepareUpdate.ts"
import type { ServerCore } from "./ServerCore.ts"
import { revisionConflict, uidConflict } from "./uidConflict.ts"

/**
 * Returns the new state for a stored object, which it must not modify; `stored` itself means no change. Called again
 * with a newer state if the write conflicts.
 */
export type Change = (stored: KubeObject) => MaybeSteps<Result.Result<KubeObject, Status>>

/** How `rewrite` treats a change. */
export interface RewriteOptions {
  /** The maximum number of tries: after a conflict the change is computed again from the newer object. */
  readonly attempts: number
  /** Whether the server itself makes the change: then it is neither admitted, prepared nor validated. */
  readonly internal?: boolean
  /**
   * Whether the change is a patch of the stored object. A different uid is then a change of an immutable field (422), not
   * a precondition that fails (409).
   */
  readonly patch?: boolean
  /** Receives the kind's warnings. Without it they are dropped. */
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
  runSteps(core, userInfo.user, rewriteInSteps(core, userInfo, target, change, options, done), (status) =>
    done(Result.fail(status))
  )

const rewriteInSteps = function* (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  change: Change,
  options: RewriteOptions,
  done: Done
): Steps<void> {
  const { name, namespace, state } = target
  const { definition } = state
  const unconverted = state.base?.converted && (yield* convertedInSteps(core, target))
  if (unconverted !== undefined) return done(Result.fail(unconverted))
  const cached = state.cache.get(namespace, name)
  if (cached === undefined) return done(Result.fail(notFound(groupResourceOf(definition.resource), name)))
  const stored = cached.object
  const turnCount = core.turns.count

  const pending = change(stored)
  const changed = isSteps(pending) ? yield* pending : pending
  if (core.turns.isOver) yield
  if (Result.isFailure(changed)) return done(changed)
  const given = changed.success
  const refusal =
    given === stored ? undefined : preconditionRefusal(target, cached.key, stored.metadata, given, options)
  if (refusal !== undefined) return done(Result.fail(refusal))
  const accepted = options.internal
    ? Result.succeed({ ...given, metadata: metaForUpdate(given.metadata, stored.metadata) })
    : yield* acceptInSteps(core, userInfo, target, given, stored, options.exchange)
  if (Result.isFailure(accepted)) return done(accepted)
  const object = asUpdated(definition, accepted.success)
  const store = (hasWaited: boolean) => {
    if (target.dryRun) return readBackUnstored(core, state, object, done)
    const unserved = hasWaited ? unservedRefusal(core, state) : undefined
    if (unserved !== undefined) return done(Result.fail(unserved))
    // Another request wrote it meanwhile: the store would compare with that state.
    if (cached.object !== stored) return retry(core, userInfo, target, change, options, done)
    storeChanged(core, target, { cached, stored, object, exchange: options.exchange }, done, () =>
      retry(core, userInfo, target, change, options, done)
    )
  }
  if (core.turns.isOver) yield
  const reserve = options.internal
    ? undefined
    : core.admission.get(definition.key, "update", target.subresource)?.reserve
  if (reserve === undefined) return store(turnCount !== core.turns.count)
  const refuse = (status: Status) => done(Result.fail(status))
  const onReserved = (refused: Status | undefined) => (refused === undefined ? store(true) : refuse(refused))
  reserve(attributesOf(userInfo, target, "update", object, stored), refuseOnError(core, refuse, onReserved))
}

interface Changed {
  readonly cached: Cached
  readonly stored: KubeObject
  readonly object: KubeObject
  readonly exchange: Exchange | undefined
}

/** Stores the new state of an object, or removes it if it was waiting for that; `onConflict` if another request wrote it. */
const storeChanged = (
  core: ServerCore,
  { state }: Target,
  { cached, exchange, object: sent, stored }: Changed,
  done: Done,
  onConflict: () => void
) => {
  const removesObject = shouldDeleteDuringUpdate(sent, stored)
  const object = removesObject ? sent : withoutSelfLink(sent)
  const isSame = (sameValue(object, stored) || sameButTimes(object, stored)) && haveSameForm(object, stored)
  if (!removesObject && isSame && isStoredAs(state, object)) return done(Result.succeed(stored))
  const onStored: StoreReply = (result) => {
    if (Result.isSuccess(result)) {
      if (exchange !== undefined) exchange.hasWritten = true
      readBack(core, state, object, done)
    } else if (result.failure._tag === "StoreFailure") done(Result.fail(storeErrorStatus(result.failure)))
    else onConflict()
  }
  const reply = refuseOnError(core, (status) => done(Result.fail(status)), onStored)
  if (!removesObject) return core.registry.update(state, cached, object, reply)
  // The last state that watchers see is the stored one; only the writer sees what it wrote, and at the revision before.
  const last = { ...stored, metadata: { ...stored.metadata } }
  setResourceVersion(object, Number(stored.metadata.resourceVersion))
  core.registry.remove(state, cached, last, reply)
}

/**
 * Whether the store has a custom resource as a write of it would be stored: not if its definition has since got another
 * stored version, defaults that the reader sees, or a version without fields of it.
 */
const isStoredAs = ({ base }: KindState, object: KubeObject): boolean => {
  if (base === undefined || base.converted !== undefined) return true
  const { name, namespace = "" } = object.metadata
  const raw = base.state.cache.get(namespace, name ?? "")?.object
  return raw === undefined || sameValue({ ...base.view.toStorage(object), metadata: raw.metadata }, raw)
}

/** The store keeps no link of an object to itself. Upstream: storage/api_object_versioner.go, PrepareObjectForStorage. */
const withoutSelfLink = (object: KubeObject): KubeObject => {
  if (object.metadata.selfLink === undefined) return object
  const { selfLink: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Retries with the newer state after a conflict, unless the attempts are used up. */
const retry: Rewrite = (core, userInfo, target, change, options, done) => {
  if (options.attempts <= 1) {
    return done(Result.fail(staleResourceVersion(groupResourceOf(target.state.definition.resource), target.name)))
  }
  const next = { ...options, attempts: options.attempts - 1 }
  const refuse = (status: Status) => done(Result.fail(status))
  core.registry.whenCurrent(refuseOnError(core, refuse, () => rewrite(core, userInfo, target, change, next, done)))
}

/** Returns why the uid or the resourceVersion that the caller sent is not that of the stored object. */
export const preconditionRefusal = (
  target: Target,
  key: string,
  stored: ObjectMeta,
  given: Pick<KubeObject, "metadata">,
  { patch = false }: Pick<RewriteOptions, "patch"> = {}
): Status | undefined => {
  const { definition } = target.state
  const { resourceVersion = "", uid = "" } = given.metadata
  if (uid !== "" && uid !== stored.uid && !patch) {
    return uidConflict(target, key, uid, stored.uid)
  }
  const unparsable = revisionFault(resourceVersion)
  if (unparsable !== undefined) return unknownError(unparsable)
  if (resourceVersion === "" || resourceVersion === "0") {
    return definition.allowUnconditionalUpdate ? undefined : missingVersionStatus(definition, target.name)
  }
  if (resourceVersion === stored.resourceVersion) return undefined
  return target.subresource === "binding"
    ? revisionConflict(target, key, resourceVersion, stored.resourceVersion)
    : staleResourceVersion(groupResourceOf(definition.resource), target.name)
}

const missingVersionStatus = ({ resource }: KindDefinition, name: string): Status =>
  invalid({ group: resource.group, kind: resource.plural }, name, [
    {
      type: "FieldValueInvalid",
      field: "metadata.resourceVersion",
      badValue: 0,
      detail: "must be specified for an update"
    }
  ])

/** Runs admission, preparation and validation of the requested object. Returns the object to store, or the refusal. */
const acceptInSteps = function* (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  requested: KubeObject,
  stored: KubeObject,
  exchange: Exchange | undefined
): Steps<Result.Result<KubeObject, Status>> {
  const { state, subresource } = target
  const { definition } = state
  const chain = core.admission.get(definition.key, "update", subresource)
  let given = requested
  const { manager } = target
  const isRecorded =
    requested !== stored ||
    definition.lacksDefaults === true ||
    core.ownership?.keepsOwners(definition, stored) === false
  if (core.ownership !== undefined && manager !== undefined && isRecorded) {
    // What an object of one version has in those of others can depend on all of it.
    const isComplete =
      subresource === undefined &&
      definition.versions === undefined &&
      definition.conversionFault === undefined &&
      definition.lacksDefaults !== true &&
      sharesDefaults(requested, stored)
    const complete = isComplete ? requested : definition.defaults(requested)
    // Records the caller as the owner of the fields that it changes.
    given = yield* core.ownership.updatedInSteps({ definition, subresource, manager }, complete, stored)
  }
  if (core.turns.isOver) yield
  if (chain !== undefined) {
    const admitting = chain.mutate(attributesOf(userInfo, target, "update", given, stored, exchange))
    const admitted = isSteps(admitting) ? yield* admitting : admitting
    if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
    given = admitted.success ?? given
  }
  if (exchange !== undefined && given !== stored) given = withoutDuplicateOwners(exchange, given, "admitted")
  const object = allowedChanges(definition, subresource, given, stored, core.timers.now())
  if (core.turns.isOver) yield
  const validation =
    definition.validateInSteps?.(object, stored, subresource) ??
    validationErrorsOf(definition, subresource, object, stored)
  const own = isSteps(validation) ? yield* validation : validation
  if (exchange?.readsWarnings === true)
    for (const warning of definition.validationWarnings?.(object) ?? []) exchange.warn(warning)
  const common = validateChangedMetadata(object.metadata, stored.metadata, definition.resource.namespaced)
  const checked = chain?.check?.(attributesOf(userInfo, target, "update", object, stored, exchange)) ?? []
  const errors = common.length === 0 && checked.length === 0 ? own : [...common, ...checked, ...own]
  if (errors.length > 0)
    return Result.fail(invalid(errorKindOf(definition, object), object.metadata.name ?? "", errors))
  if (core.turns.isOver) yield
  if (exchange?.readsWarnings === true) warn(exchange, target, object, stored)
  const refusing = chain?.validate(attributesOf(userInfo, target, "update", object, stored, exchange))
  const refused = isSteps(refusing) ? yield* refusing : refusing
  return refused === undefined ? Result.succeed(object) : Result.fail(refused)
}

const warn = (
  exchange: Exchange,
  { state: { definition }, subresource }: Target,
  object: KubeObject,
  stored: KubeObject
) => {
  if (subresource !== undefined && subresource !== "status") return
  const { strategy } = definition
  const warnings =
    subresource === "status" ? strategy.statusWarnings?.(object, stored) : strategy.warnings?.(object, stored)
  for (const warning of warnings ?? []) exchange.warn(warning)
}
