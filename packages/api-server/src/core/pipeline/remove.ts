import {
  type DeleteOptions,
  foregroundFinalizer,
  genericResponse,
  groupResourceOf,
  internalError,
  type KubeObject,
  notFound,
  orphanFinalizer,
  type Resource,
  type Status,
  success
} from "@rollcall/api"
import type { DeleteRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { AdmissionExchange, UserInfo } from "../admission/Admission.ts"
import {
  admittedOptions,
  type Deletion,
  decideDeletion,
  deleteOptionsRefusal,
  preconditionRefusal
} from "../deletion/Deletion.ts"
import { errorKindOf } from "../registry/errorKind.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import type { Target } from "../registry/KindState.ts"
import type { StoreReply } from "../registry/Objects.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { admit } from "./admit.ts"
import { refuseOnError } from "./continuations.ts"
import { readBack, readBackUnstored, whenConverted } from "./conversion.ts"
import { storeErrorStatus } from "./create.ts"
import type { Exchange } from "./Exchange.ts"
import { emptyObjectOf } from "./emptyObject.ts"
import { deletionRefusal } from "./namespaces.ts"
import type { Handler, ServerCore } from "./ServerCore.ts"

/** The maximum number of tries to delete an object that others write concurrently. */
export const DELETE_ATTEMPTS = 100

/** The result of a delete. */
export interface Deleted {
  /** The object with its deletionTimestamp, or its last state if it is gone. */
  readonly object: KubeObject
  /** Whether the object is removed; false if it waits for its grace period or its finalizers. */
  readonly gone: boolean
  /** Whether the answer is empty, in place of the object: see `removesFinalizers`. */
  readonly isLost?: boolean
}

/**
 * DELETE of one object. The response is a Status if the object is removed and its kind does not return it, otherwise the
 * object.
 */
export const remove: Handler<DeleteRequest> = (core, exchange, state, request) => {
  const { definition } = state
  if (request.subresource !== undefined) {
    return exchange.refuse(genericResponse(definition.subresources.has(request.subresource) ? 405 : 404))
  }
  const options = request.options ?? {}
  const target: Target = {
    state,
    namespace: definition.resource.namespaced ? (request.namespace ?? "") : "",
    name: request.name,
    subresource: undefined,
    dryRun: options.dryRun?.includes("All") ?? false
  }
  const refusal = deleteOptionsRefusal(options) ?? deletionRefusal(target)
  if (refusal !== undefined) return exchange.refuse(refusal)
  const warning = deletionWarning(definition, options)
  if (warning !== undefined) exchange.warn(warning)
  const onRemoved = (result: Result.Result<Deleted, Status>) => {
    if (Result.isFailure(result)) return exchange.refuse(result.failure)
    const { gone, isLost, object } = result.success
    const showsObject = !gone || definition.returnsDeleted
    const shown = showsObject ? object : removedStatus(definition.resource, object)
    // What waits for its dependents is accepted, by the option's old name only.
    const code = !gone && options.orphanDependents === false ? 202 : 200
    exchange.ok(isLost === true ? emptyObjectOf(definition) : shown, code, object)
  }
  removeObject(core, exchange.identity, target, options, DELETE_ATTEMPTS, onRemoved, exchange)
}

/**
 * Whether the object goes because the delete removes its last finalizers. A dry run then answers an empty object:
 * upstream's update of it ends before it has a result.
 */
const removesFinalizers = (deletion: Deletion): boolean =>
  deletion._tag === "Remove" && (deletion.object.metadata.finalizers?.length ?? 0) > 0

const namesNoPolicy = ({ orphanDependents, propagationPolicy }: DeleteOptions): boolean =>
  orphanDependents === undefined && propagationPolicy === undefined

/** Returns what a client is warned of that deletes objects of a kind which orphans its dependents, though others do not. */
export const deletionWarning = (definition: KindDefinition, options: DeleteOptions): string | undefined => {
  if (definition.orphansByDefault !== "warned" || !namesNoPolicy(options)) return undefined
  const { plural } = definition.resource
  return `child pods are preserved by default when ${plural} are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning`
}

/** Returns the options with the policy of the kind, if neither they nor an earlier delete name one. */
const withPolicy = (definition: KindDefinition, { metadata }: KubeObject, options: DeleteOptions): DeleteOptions =>
  definition.orphansByDefault !== false &&
  namesNoPolicy(options) &&
  !metadata.finalizers?.some((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
    ? { ...options, propagationPolicy: "Orphan" }
    : options

const removedStatus = (resource: Resource, { metadata: { name, uid } }: KubeObject): Status =>
  success({
    ...(name === undefined ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(uid === undefined ? {} : { uid })
  })

type Remove = (
  core: ServerCore,
  userInfo: UserInfo,
  target: Target,
  options: DeleteOptions,
  attempts: number,
  done: (result: Result.Result<Deleted, Status>) => void,
  /** The request, whose deletion is admitted; a deletion that the server itself makes is not. */
  exchange?: Exchange,
  /** Called when the deletion is admitted and its write has begun; with a synchronous store, that is after `done`. */
  onAdmitted?: () => void
) => void

/**
 * Deletes an object, or marks it as being deleted: `decideDeletion` decides that. Upstream:
 * staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go, Delete.
 */
export const removeObject: Remove = (core, userInfo, target, options, attempts, done, exchange, onAdmitted) => {
  const refuse = (status: Status) => done(Result.fail(status))
  whenConverted(core, target, true, refuse, () =>
    removeConverted(core, userInfo, target, options, attempts, done, exchange, onAdmitted)
  )
}

const removeConverted: Remove = (core, userInfo, target, options, attempts, done, exchange, onAdmitted) => {
  const { name, namespace, state } = target
  const { resource } = state.definition
  const cached = state.cache.get(namespace, name)
  if (cached === undefined) return done(Result.fail(notFound(groupResourceOf(resource), name)))
  const { object, revision } = cached
  const isCollection = exchange?.request.verb === "deletecollection"
  const refusal = preconditionRefusal(errorKindOf(state.definition, object), object, options, isCollection)
  if (refusal !== undefined) return done(Result.fail(refusal))
  if (exchange === undefined) return removeAdmitted(core, userInfo, target, options, attempts, done)
  const admitted = admittedOptions(object, options)
  if (admitted === undefined) {
    removeAdmitted(core, userInfo, target, options, attempts, done, exchange)
    onAdmitted?.()
    return
  }
  // The request for a collection names no object, and its options are not those of one.
  const named = isCollection ? { ...target, name: "" } : target
  const seen = admitted === options || isCollection ? exchange : withOptions(exchange, admitted)
  const attributes = attributesOf(userInfo, named, "delete", undefined, object, seen)
  admit(core, attributes, (result) => {
    if (Result.isFailure(result)) return done(Result.fail(result.failure))
    if (state.cache.get(namespace, name)?.revision === revision) {
      removeAdmitted(core, userInfo, target, options, attempts, done, exchange)
      onAdmitted?.()
      return
    }
    // Another request wrote it while this one waited.
    if (attempts <= 1) done(Result.fail(tooManyChanges))
    else removeObject(core, userInfo, target, options, attempts - 1, done, exchange, onAdmitted)
  })
}

/** Returns the exchange as admission sees it, with other options of the deletion. */
const withOptions = (exchange: Exchange, options: DeleteOptions): AdmissionExchange => {
  const { request } = exchange
  const isDeletion = request.verb === "delete" || request.verb === "deletecollection"
  return {
    request: isDeletion ? { ...request, options } : request,
    get isAnswered() {
      return exchange.isAnswered
    },
    warn: (text) => exchange.warn(text),
    annotate: (key, value) => exchange.annotate(key, value)
  }
}

const tooManyChanges = internalError("the object is changed faster than it can be deleted")

type StoredResult = Parameters<StoreReply>[0]

const removeAdmitted: Remove = (core, userInfo, target, options, attempts, done, exchange) => {
  const { dryRun, name, namespace, state } = target
  const { resource } = state.definition
  const cached = state.cache.get(namespace, name)
  if (cached === undefined) return done(Result.fail(notFound(groupResourceOf(resource), name)))
  const { object } = cached
  const nowMs = core.timers.now()
  const { strategy } = state.definition
  // Upstream deletes each object of a collection as any other: a definition goes without its custom resources.
  const begun = exchange?.request.verb === "deletecollection" ? undefined : strategy.beginDeletion?.(object, nowMs)
  const deletion = begun ?? decideDeletion(object, withPolicy(state.definition, object, options), nowMs)
  if (deletion._tag === "Unchanged") return done(Result.succeed({ object, gone: false }))
  const gone = deletion._tag !== "Mark"
  // The write sets its revision in the metadata, so this must be a copy.
  const next: KubeObject = { ...deletion.object, metadata: { ...deletion.object.metadata } }
  if (dryRun && !gone)
    return readBackUnstored(core, state, next, (read) => done(Result.map(read, (object) => ({ object, gone }))))
  if (dryRun) return done(Result.succeed({ object: next, gone, ...(removesFinalizers(deletion) && { isLost: true }) }))
  const refuse = (status: Status) => done(Result.fail(status))
  const replyWith = (shown: KubeObject) =>
    refuseOnError<StoredResult>(core, refuse, (result) => onStored(shown, result))
  const onStored = (shown: KubeObject, result: StoredResult) => {
    if (Result.isSuccess(result)) {
      if (gone) return done(Result.succeed({ object: shown, gone }))
      readBack(core, state, shown, (read) => done(Result.map(read, (object) => ({ object, gone }))))
    } else if (result.failure._tag === "StoreFailure") done(Result.fail(storeErrorStatus(result.failure)))
    else if (attempts <= 1) done(Result.fail(tooManyChanges))
    else {
      const again = () => removeObject(core, userInfo, target, options, attempts - 1, done, exchange)
      core.registry.whenCurrent(refuseOnError(core, refuse, again))
    }
  }
  if (deletion._tag === "Remove") return core.registry.remove(state, cached, next, replyWith(next))
  const onMarked: StoreReply = (result) => {
    const marked = gone && Result.isSuccess(result) ? state.cache.get(namespace, name) : undefined
    if (marked === undefined) return replyWith(next)(result)
    // The answer shows the revision of the removal and not that of the mark.
    const removed: KubeObject = { ...next, metadata: { ...next.metadata } }
    core.registry.remove(state, marked, removed, replyWith(removed))
  }
  core.registry.update(state, cached, next, refuseOnError(core, refuse, onMarked))
}
