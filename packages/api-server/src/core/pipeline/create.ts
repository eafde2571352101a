import {
  alreadyExists,
  badRequest,
  generateNameConflict,
  groupResourceOf,
  internalError,
  invalid,
  type KubeObject,
  type ObjectMeta,
  type Status,
  unknownError
} from "@rollcall/api"
import { validateNewMetadata } from "@rollcall/api/validation"
import { sameValue, withStatus } from "@rollcall/api/values"
import type { CreateRequest } from "@rollcall/cluster"
import { managerName } from "@rollcall/field-ownership"
import type { StoreConflict, StoreFailure } from "@rollcall/store"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { revisionFault } from "../objects/revisions.ts"
import { rememberStoredForm } from "../objects/storedForms.ts"
import { ConversionFailure } from "../registry/Converted.ts"
import { errorKindOf } from "../registry/errorKind.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import type { StoreReply } from "../registry/Objects.ts"
import { makeName, makeUid } from "../registry/SeededRandom.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { asStored } from "./asStored.ts"
import { bodyOf, namespaceMismatch, unconvertible } from "./bodies.ts"
import { refuseOnError, runSteps } from "./continuations.ts"
import { readBack, readBackUnstored } from "./conversion.ts"
import { withoutDuplicateOwners } from "./duplicateOwners.ts"
import type { Exchange } from "./Exchange.ts"
import { asPosted, metaForCreate } from "./metadata.ts"
import { namespaceRefusal, unservedRefusal } from "./namespaces.ts"
import type { ServerCore } from "./ServerCore.ts"
import { uidConflict } from "./uidConflict.ts"
import { writeOptionsRefusal } from "./writeOptions.ts"

/**
 * The maximum number of generated names to try. Upstream: registry/generic/registry/store.go,
 * maxNameGenerationCreateAttempts.
 */
const NAME_ATTEMPTS = 8

/** POST of an object. */
export const create = (core: ServerCore, exchange: Exchange, state: KindState, request: CreateRequest) => {
  const { definition } = state
  const refusal = writeOptionsRefusal("CreateOptions", request)
  if (refusal !== undefined) return exchange.refuse(refusal)
  const body = bodyOf(definition, request.object)
  if (Result.isFailure(body)) return exchange.refuse(body.failure)
  const given = withoutDuplicateOwners(exchange, body.success, "received")
  const faulty = unconvertible(definition, given)
  if (faulty !== undefined) return exchange.refuse(faulty)
  const namespaced = definition.resource.namespaced
  const namespace = namespaced ? request.namespace || given.metadata.namespace || "" : ""
  if (namespaced && namespace === "") {
    return exchange.refuse(badRequest("an empty namespace may not be set during creation"))
  }
  const mismatch = namespaceMismatch(given, namespace)
  if (mismatch !== undefined) return exchange.refuse(mismatch)
  const name = given.metadata.name ?? ""
  const manager = managerName(request.fieldManager, exchange.identity.userAgent)
  const target: Target = { state, namespace, name, subresource: undefined, dryRun: request.dryRun === true, manager }
  createObject(core, exchange, target, asPosted(given))
}

/** Creates what a PUT or an apply finds absent; its revision only has to be one. Upstream: Store.Update of the registry. */
export const createOnUpdate = (core: ServerCore, exchange: Exchange, target: Target, given: KubeObject) => {
  const { resourceVersion = "", uid = "" } = given.metadata
  if (uid !== "")
    return exchange.refuse(uidConflict(target, target.state.cache.keyOf(target.namespace, target.name), uid))
  const fault = revisionFault(resourceVersion)
  if (fault !== undefined) return exchange.refuse(unknownError(fault))
  createObject(core, exchange, target, target.dryRun ? given : withoutRevision(given))
}

/** Creates the caller's object (`given`) at the request's path. If the target's name is empty, a name is generated. */
export const createObject = (core: ServerCore, exchange: Exchange, target: Target, given: KubeObject) =>
  runSteps(core, exchange.identity.user, createObjectInSteps(core, exchange, target, given), (status) =>
    exchange.refuse(status)
  )

/** The maximum number of tries while other servers take what is allocated to the object. */
const CLAIM_ATTEMPTS = 100

const createObjectInSteps = function* (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  given: KubeObject,
  claimAttempts = CLAIM_ATTEMPTS
): Steps<void> {
  const turnCount = core.turns.count
  const refusal = creationRefusal(core, target)
  if (refusal !== undefined) return exchange.refuse(refusal)

  const { definition } = target.state
  let object = definition.strategy.defaultsOfNew?.(given) ?? definition.defaults(given)
  if (core.turns.isOver) yield
  const { manager } = target
  if (core.ownership !== undefined && manager !== undefined) {
    object = yield* core.ownership.createdInSteps({ definition, subresource: target.subresource, manager }, object)
  }
  const chain = core.admission.get(definition.key, "create", target.subresource)
  if (chain !== undefined) {
    const admitting = chain.mutate(attributesOf(exchange.identity, target, "create", object, undefined, exchange))
    const admitted = isSteps(admitting) ? yield* admitting : admitting
    if (Result.isFailure(admitted)) return exchange.refuse(admitted.failure)
    object = admitted.success ?? object
  }
  // Admission may name a new object, or take its name.
  const name = object.metadata.name || (given.metadata.name ? "" : target.name)
  const named = name === target.name ? target : { ...target, name }
  if (definition.initialStatus !== undefined) object = withStatus(object, definition.initialStatus())
  if (core.turns.isOver) yield
  const refuse = (status: Status) => exchange.refuse(status)
  const onClaimTaken = () => {
    if (claimAttempts <= 1) return refuse(internalError("other servers take all that is allocated: try again"))
    const again = createObjectInSteps(core, exchange, target, given, claimAttempts - 1)
    const runAgain = () => runSteps(core, exchange.identity.user, again, refuse)
    core.registry.whenCurrent(refuseOnError(core, refuse, runAgain))
  }
  yield* nameAndStoreInSteps(core, exchange, named, object, { attempts: NAME_ATTEMPTS, turnCount, onClaimTaken })
}

/** Returns why no object can be created there now, or undefined. */
const creationRefusal = (core: ServerCore, target: Target): Status | undefined =>
  target.state.definition.createRefusal?.(target.name) ?? namespaceRefusal(core, target)

interface Attempts {
  /** The number of names that may still be tried. */
  readonly attempts: number
  /** `Turns.count` when the request checked its namespace. If it is another one now, the check is repeated. */
  readonly turnCount: number
  /** Called when another server has taken a value that was allocated to the object. */
  readonly onClaimTaken: () => void
}

type NameAndStore = (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  given: KubeObject,
  attempts: Attempts
) => Steps<void>

/** Names, validates and stores the object; tries another name if a generated one exists already. */
/** Each try of a generated name begins with a copy. Upstream: generic/registry/store.go, Create. */
const unshared = (metadata: ObjectMeta): ObjectMeta =>
  metadata.labels === undefined ? metadata : { ...metadata, labels: { ...metadata.labels } }

const nameAndStoreInSteps: NameAndStore = function* (
  core,
  exchange,
  target,
  given,
  { attempts, onClaimTaken, turnCount }
) {
  const { namespace, state } = target
  const { definition } = state
  const prefix = given.metadata.generateName ?? ""
  const generated = target.name === "" && prefix !== ""
  const fromPrefix = () => (definition.strategy.isNamedByPrefix === true ? prefix : makeName(core.random, prefix))
  const name = generated ? fromPrefix() : target.name || nameOfUnnamed(core, definition)
  const place = { namespace, name, uid: makeUid(core.random), tracksGeneration: definition.tracksGeneration === true }
  const metadata = metaForCreate(generated ? unshared(given.metadata) : given.metadata, place, core.timers.now())
  const named: KubeObject = { ...given, metadata }
  const { strategy } = definition
  const { readsWarnings } = exchange
  if (readsWarnings) for (const warning of strategy.prepareWarnings?.(named) ?? []) exchange.warn(warning)
  const prepare = (target.subresource === "status" && strategy.prepareForStatusCreate) || strategy.prepareForCreate
  const prepared = prepare?.(named) ?? named

  const validation = definition.validateInSteps?.(prepared, undefined, undefined) ?? definition.validate(prepared)
  const own = isSteps(validation) ? yield* validation : validation
  const chain = core.admission.get(definition.key, "create", target.subresource)
  const checked =
    chain?.check?.(attributesOf(exchange.identity, { ...target, name }, "create", prepared, undefined, exchange)) ?? []
  const found = checked.length === 0 ? own : [...checked, ...own]
  const errors = found.length > 0 ? found : validateNewMetadata(prepared.metadata, definition.resource.namespaced)
  if (errors.length > 0) return exchange.refuse(invalid(errorKindOf(definition, prepared), name, errors))
  const object = strategy.asReadBack?.(prepared) ?? prepared
  if (readsWarnings) for (const warning of strategy.warnings?.(object, undefined) ?? []) exchange.warn(warning)
  if (core.turns.isOver) yield
  const forbidden = exchange.creationRefusal?.()
  if (forbidden !== undefined) return exchange.refuse(forbidden)
  const attributes =
    chain && attributesOf(exchange.identity, { ...target, name }, "create", object, undefined, exchange)
  const refusing = attributes && chain.validate(attributes)
  const refused = isSteps(refusing) ? yield* refusing : refusing
  if (refused !== undefined) return exchange.refuse(refused)

  const refuse = (status: Status) => exchange.refuse(status)
  const onNameTaken = () => {
    if (!generated || attempts <= 1) return exchange.refuse(nameTakenStatus(target, name, prefix !== ""))
    const next = nameAndStoreInSteps(core, exchange, target, given, { attempts: attempts - 1, turnCount, onClaimTaken })
    runSteps(core, exchange.identity.user, next, refuse)
  }
  const onTaken = { name: onNameTaken, claim: onClaimTaken }
  const hasWaited = turnCount !== core.turns.count
  const accepted: Named = { target: { ...target, name }, object: asStored(definition, object), given }
  if (object !== prepared && !sameValue(object, prepared)) rememberStoredForm(accepted.object, prepared)
  if (attributes === undefined || chain?.reserve === undefined)
    return store(core, exchange, accepted, hasWaited, onTaken)
  const onReserved = (refusal: Status | undefined) =>
    refusal === undefined ? store(core, exchange, accepted, true, onTaken) : refuse(refusal)
  chain.reserve(attributes, refuseOnError(core, refuse, onReserved))
}

/** Returns the name of a new object without one. Upstream: pkg/registry/core/limitrange/strategy.go. */
const nameOfUnnamed = ({ random }: ServerCore, { strategy }: KindState["definition"]): string =>
  strategy.isNamedByUid === true ? makeUid(random) : ""

/** A new object that is valid and admitted. */
interface Named {
  readonly target: Target
  readonly object: KubeObject
  /** As the caller sent it. */
  readonly given: KubeObject
}

type StoreNew = (
  core: ServerCore,
  exchange: Exchange,
  named: Named,
  /** Whether other requests may have run since this one checked its namespace; then it checks again. */
  hasWaited: boolean,
  /** Called when the name, or a value that was allocated to the object, belongs to another one. */
  onTaken: { readonly name: () => void; readonly claim: () => void }
) => void

const store: StoreNew = (core, exchange, { given, object, target }, hasWaited, onTaken) => {
  const { name, namespace, state } = target
  const refuse = (status: Status) => exchange.refuse(status)
  const refusal = hasWaited ? (unservedRefusal(core, state) ?? creationRefusal(core, target)) : undefined
  if (refusal !== undefined) return refuse(refusal)
  if (!target.dryRun && hasRevision(given)) {
    return refuse(unknownError("resourceVersion should not be set on objects to be created"))
  }
  if (state.cache.get(namespace, name) !== undefined) return onTaken.name()
  const answer = (result: Result.Result<KubeObject, Status>) =>
    Result.isFailure(result) ? refuse(result.failure) : exchange.ok(result.success, 201, result.success)
  if (target.dryRun) {
    return readBackUnstored(core, state, asUnstored(object, given.metadata), answer)
  }
  const onStored: StoreReply = (result) => {
    if (Result.isSuccess(result)) readBack(core, state, object, answer)
    else if (result.failure._tag === "StoreConflict") {
      if (result.failure.key === state.cache.keyOf(namespace, name)) onTaken.name()
      else onTaken.claim()
    } else exchange.refuse(storeErrorStatus(result.failure))
  }
  core.registry.create(state, namespace, name, object, refuseOnError(core, refuse, onStored))
}

/** Whether a new object has a revision; one that is no number counts as none. Upstream: storage/etcd3/store.go, Create. */
const hasRevision = ({ metadata }: KubeObject): boolean =>
  Number(/^\d+$/.exec(metadata.resourceVersion ?? "")?.[0] ?? 0) > 0

/** An object with a prefix is answered as if the name were generated, whoever chose it. Upstream: CheckGeneratedNameError. */
const nameTakenStatus = ({ namespace, state }: Target, name: string, hasPrefix: boolean): Status => {
  const resource = groupResourceOf(state.definition.resource)
  const status = hasPrefix ? generateNameConflict(resource, name, 1) : alreadyExists(resource, name)
  const { deletionTimestamp } = (state.base?.state ?? state).cache.get(namespace, name)?.object.metadata ?? {}
  return deletionTimestamp === undefined ? status : { ...status, message: `object is being deleted: ${status.message}` }
}

const withoutRevision = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** The response of a dry run: the object has the revision and the link that the caller sent, because it is not stored. */
const asUnstored = (object: KubeObject, { resourceVersion, selfLink }: ObjectMeta): KubeObject => {
  const { metadata, ...rest } = withoutRevision(object)
  const sent = { ...(resourceVersion ? { resourceVersion } : {}), ...(selfLink ? { selfLink } : {}) }
  return { ...rest, metadata: { ...metadata, ...sent } }
}

/** Returns the error for a client when the store itself fails. */
export const storeErrorStatus = (failure: StoreConflict | StoreFailure): Status =>
  failure instanceof ConversionFailure ? unknownError(failure.message) : internalError(failure.message)
