import { badRequest, formatTime, type KubeObject, type Namespace, type Status } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Placed } from "../registry/KindState.ts"
import { makeUid } from "../registry/SeededRandom.ts"
import { runInSequence } from "./continuations.ts"
import { storeErrorStatus } from "./create.ts"
import type { FreshMeta } from "./metadata.ts"
import type { ServerCore } from "./ServerCore.ts"

/** The number of objects that are stored with one write, and so with one revision. */
const BATCH_OBJECTS = 1000
/** The same for a store of several servers: etcd compares at most 128 revisions in a transaction. */
const SHARED_BATCH_OBJECTS = 100

export interface RestoreOptions {
  /** Leaves objects that exist as they are, also those that another server of the store creates meanwhile. */
  readonly onlyMissing?: boolean
  /** Whether an object has all defaults of its kind already; by default they are set in each. */
  readonly hasDefaults?: (object: KubeObject) => boolean
}

/**
 * Stores objects of another cluster or time. They get defaults, and the fields that every stored object has (uid,
 * creation time); otherwise they are unchanged, including the status. They are neither admitted nor validated. Missing
 * namespaces are created. An object without a name, or of an unknown kind, fails the whole call.
 */
export const restore = (
  core: ServerCore,
  objects: Iterable<KubeObject>,
  done: (result: Result.Result<void, Status>) => void,
  { hasDefaults, onlyMissing = false }: RestoreOptions = {}
) => {
  const placed: Array<Placed> = []
  const namespaces = new Set<string>()
  for (const object of objects) {
    const result = place(core, object, hasDefaults?.(object) === true)
    if (Result.isFailure(result)) return done(Result.fail(result.failure))
    if (result.success.namespace !== "") namespaces.add(result.success.namespace)
    placed.push(result.success)
  }
  const given = new Set(placed.filter(({ object }) => object.kind === "Namespace").map(({ name }) => name))
  const missing: Array<Placed> = []
  for (const name of namespaces) {
    if (given.has(name) || core.registry.kinds.Namespace.cache.get("", name) !== undefined) continue
    const result = place(core, activeNamespace(name), false)
    if (Result.isSuccess(result)) missing.push(result.success)
  }
  write(core, [...missing, ...placed], onlyMissing, done)
}

const write = (
  core: ServerCore,
  placed: ReadonlyArray<Placed>,
  onlyMissing: boolean,
  done: (result: Result.Result<void, Status>) => void
): void => {
  const batches: Array<ReadonlyArray<Placed>> = []
  const size = core.registry.current.isShared ? SHARED_BATCH_OBJECTS : BATCH_OBJECTS
  for (let at = 0; at < placed.length; at += size) batches.push(placed.slice(at, at + size))
  let failure: Status | undefined
  const load = (batch: ReadonlyArray<Placed>, next: (proceed: boolean) => void) => {
    const objects = onlyMissing ? batch.filter(isMissing) : batch
    if (objects.length === 0) return next(true)
    core.registry.load(objects, onlyMissing, (result) => {
      // Another server has created one of them: that one is left out once it is shown.
      if (Result.isFailure(result) && result.failure._tag === "StoreConflict")
        return core.registry.whenCurrent(() => load(objects, next))
      if (Result.isFailure(result)) failure = storeErrorStatus(result.failure)
      next(failure === undefined)
    })
  }
  runInSequence(batches, load, () => done(failure === undefined ? Result.succeed(undefined) : Result.fail(failure)))
}

const isMissing = ({ name, namespace, state }: Placed): boolean => state.cache.get(namespace, name) === undefined

/** Returns the object as it will be stored, and its location; fails if the object has none. */
const place = (core: ServerCore, given: KubeObject, isComplete: boolean): Result.Result<Placed, Status> => {
  const state = core.registry.kind(given.kind)
  if (state === undefined) return Result.fail(badRequest(`no kind ${JSON.stringify(given.kind)} is served`))
  const { definition } = state
  const { creationTimestamp, generation, name = "", namespace = "", uid } = given.metadata
  const namespaced = definition.resource.namespaced
  if (name === "" || (namespaced && namespace === "")) {
    const missing = name === "" ? "name" : "namespace"
    return Result.fail(badRequest(`a ${given.kind} to restore has no metadata.${missing}`))
  }
  const object = isComplete ? given : definition.defaults(given)
  const metadata: FreshMeta = {
    ...object.metadata,
    uid: uid || makeUid(core.random),
    resourceVersion: "",
    creationTimestamp: creationTimestamp || formatTime(core.timers.now())
  }
  if (definition.tracksGeneration && generation === undefined) metadata.generation = 1
  return Result.succeed({ state, namespace: namespaced ? namespace : "", name, object: { ...object, metadata } })
}

/** Returns a namespace as its creation leaves it, without uid and creation time. */
export const activeNamespace = (name: string): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" }
})
