import {
  alreadyExists,
  badRequest,
  generateNameConflict,
  groupResourceOf,
  internalError,
  invalid,
  type KubeObject,
  type Status,
  unknownError
} from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import type { StoreConflict, StoreFailure } from "@rollcall/store"
import * as Result from "effect/Result"
import { managerName } from "../apply/renewedEntries.ts"
import { withStatus } from "../objects/values.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import type { StoreReply } from "../registry/Objects.ts"
import { makeName, makeUid } from "../registry/SeededRandom.ts"
import { isSteps, type Steps } from "../turns/Steps.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { bodyOf, namespaceMismatch } from "./bodies.ts"
import type { Exchange } from "./Exchange.ts"
import { metaForCreate } from "./metadata.ts"
import { goneRefusal, namespaceRefusal } from "./namespaces.ts"
import { inSteps, resumed } from "./resumed.ts"
import type { ServerCore } from "./ServerCore.ts"
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
  const given = body.success
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
  createObject(core, exchange, target, given)
}

/** Creates the caller's object at the request's path. An empty name is generated. */
export const createObject = (core: ServerCore, exchange: Exchange, target: Target, given: KubeObject) =>
  inSteps(core, exchange.identity.user, creation(core, exchange, target, given), (status) => exchange.refuse(status))

const creation = function* (core: ServerCore, exchange: Exchange, target: Target, given: KubeObject): Steps<void> {
  const turn = core.turns.count
  const version = given.metadata.resourceVersion
  if (version !== undefined && version !== "" && version !== "0") {
    return exchange.refuse(unknownError("resourceVersion should not be set on objects to be created"))
  }
  const refusal = placeRefusal(core, target)
  if (refusal !== undefined) return exchange.refuse(refusal)

  const { definition } = target.state
  let object = definition.defaults(given)
  if (core.turns.isOver) yield
  const { manager } = target
  if (core.ownership !== undefined && manager !== undefined) {
    object = yield* core.ownership.created({ definition, subresource: undefined, manager }, object)
  }
  const chain = core.admission.get(definition.key, "create", undefined)
  if (chain !== undefined) {
    const admitted = chain.mutate(attributesOf(exchange.identity, target, "create", object, undefined))
    if (Result.isFailure(admitted)) return exchange.refuse(admitted.failure)
    object = admitted.success ?? object
  }
  if (definition.initialStatus !== undefined) object = withStatus(object, definition.initialStatus)
  if (core.turns.isOver) yield
  yield* attempt(core, exchange, target, object, { attempts: NAME_ATTEMPTS, turn })
}

/** Returns why no object can be created there now. */
const placeRefusal = (core: ServerCore, target: Target): Status | undefined =>
  target.state.definition.createRefusal?.() ?? namespaceRefusal(core, target)

interface Trial {
  /** The number of names that may still be tried. */
  readonly attempts: number
  /** The time slice in which the request checked its namespace. */
  readonly turn: number
}

type Attempt = (core: ServerCore, exchange: Exchange, target: Target, given: KubeObject, trial: Trial) => Steps<void>

/** Names, validates and stores the object; tries another name if a generated one is taken. */
const attempt: Attempt = function* (core, exchange, target, given, { attempts, turn }) {
  const { namespace, state } = target
  const { definition } = state
  const base = given.metadata.generateName ?? ""
  const generated = target.name === "" && base !== ""
  const name = generated ? makeName(core.random, base) : target.name
  const metadata = metaForCreate(given.metadata, { namespace, name, uid: makeUid(core.random) }, core.timers.now())
  if (definition.tracksGeneration) metadata.generation = 1
  const named: KubeObject = { ...given, metadata }
  const object = definition.strategy.prepareForCreate?.(named) ?? named

  const validation = definition.validateInSteps?.(object, undefined, undefined) ?? definition.validate(object)
  const errors = isSteps(validation) ? yield* validation : validation
  if (errors.length > 0) return exchange.refuse(invalid(definition.resource, name, errors))
  if (core.turns.isOver) yield
  const refused = core.admission
    .get(definition.key, "create", undefined)
    ?.validate(attributesOf(exchange.identity, { ...target, name }, "create", object, undefined))
  if (refused !== undefined) return exchange.refuse(refused)
  for (const warning of definition.strategy.warnings?.(object) ?? []) exchange.warn(warning)

  const refuse = (status: Status) => exchange.refuse(status)
  const taken = () => {
    if (!generated || attempts <= 1) return exchange.refuse(takenStatus(target, name, generated))
    const next = attempt(core, exchange, target, given, { attempts: attempts - 1, turn })
    inSteps(core, exchange.identity.user, next, refuse)
  }
  const lost = turn === core.turns.count ? undefined : (goneRefusal(core, state) ?? placeRefusal(core, target))
  if (lost !== undefined) return refuse(lost)
  if (state.cache.get(namespace, name) !== undefined) return taken()
  if (target.dryRun) return exchange.ok(withoutRevision(object), 201, object)
  const onStored: StoreReply = (result) => {
    if (Result.isSuccess(result)) exchange.ok(object, 201, object)
    else if (result.failure._tag === "StoreConflict") taken()
    else exchange.refuse(storeTrouble(result.failure))
  }
  core.registry.create(state, namespace, name, object, resumed(core, refuse, onStored))
}

const takenStatus = ({ state }: Target, name: string, generated: boolean): Status => {
  const resource = groupResourceOf(state.definition.resource)
  return generated ? generateNameConflict(resource, name, 1) : alreadyExists(resource, name)
}

/** The response of a dry run: the object has no revision, because it is not stored. */
const withoutRevision = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** The error for a client when the store itself fails. */
export const storeTrouble = (failure: StoreConflict | StoreFailure): Status => internalError(failure.message)
