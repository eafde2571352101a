import { type KubeObject, type Status, unknownError } from "@rollcall/api"
import { type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"
import type { KindState, Target } from "../registry/KindState.ts"
import { notInitialized } from "../registry/notInitialized.ts"
import { refuseOnError } from "./continuations.ts"
import type { ServerCore } from "./ServerCore.ts"

// Where objects are converted by a call of another program, requests wait here until what they read is converted. For
// all other kinds these functions proceed at once.

type Place = Pick<Target, "name" | "namespace" | "state">

/**
 * Calls `proceed` once the stored object of a place is converted, if there is one, or `refuse` with why it cannot be.
 * `again` converts an object that is known, as upstream reads a single object from the store itself, and hands it to
 * `proceed`.
 */
export const whenConverted = (
  core: ServerCore,
  { name, namespace, state }: Place,
  again: boolean,
  refuse: (status: Status) => void,
  proceed: (fresh?: KubeObject) => void
) => {
  const { base } = state
  if (base?.converted === undefined) return proceed()
  const { converted } = base
  const stored = base.state.cache.get(namespace, name)?.object
  if (stored === undefined) return proceed()
  converted.prepare(stored, again, (why, fresh) => {
    const onConverted = refuseOnError(core, refuse, () => {
      if (why !== undefined) return refuse(unknownError(why))
      const current = base.state.cache.get(namespace, name)?.object
      if (current === stored) return proceed(fresh)
      if (current === undefined || converted.has(current)) return proceed()
      whenConverted(core, { name, namespace, state }, false, refuse, proceed)
    })
    onConverted(undefined)
  })
}

/** Does the same as `whenConverted` in steps: returns the refusal. */
export const convertedInSteps = function* (core: ServerCore, place: Place): Steps<Status | undefined> {
  if (place.state.base?.converted === undefined) return undefined
  return yield* waitFor<Status | undefined>((done) => whenConverted(core, place, false, done, () => done(undefined)))
}

/**
 * Calls `proceed` once all stored objects are converted. Also those that a list does not select have to be: it reads the watch cache of
 * its version, which is filled as a whole.
 */
export const whenAllConverted = (
  core: ServerCore,
  state: KindState,
  refuse: (status: Status) => void,
  proceed: () => void
) => {
  const { base } = state
  if (base?.converted === undefined) return proceed()
  const { converted } = base
  const missing: Array<KubeObject> = []
  base.state.cache.visit(undefined, (object) => {
    if (!converted.has(object)) missing.push(object)
  })
  if (missing.length === 0) return proceed()
  const onConverted = refuseOnError(core, refuse, (why: string | undefined) =>
    why === undefined ? whenAllConverted(core, state, refuse, proceed) : refuse(notInitialized(state.definition, why))
  )
  converted.prepareAll(missing, onConverted)
}

/** Returns a written object as it is read back where the stored version may have neither its fields nor its defaults. */
const asReadBack = ({ base, definition }: KindState, object: KubeObject): KubeObject =>
  base !== undefined && definition.lacksDefaults === true ? base.view.fromStorage(base.view.toStorage(object)) : object

/** Calls `done` with a written object as it is read back: converted from its stored form. */
export const readBack = (
  core: ServerCore,
  state: KindState,
  object: KubeObject,
  done: (result: Result.Result<KubeObject, Status>) => void
) => {
  const { base } = state
  if (base?.converted === undefined) return done(Result.succeed(asReadBack(state, object)))
  const stored = base.converted.storedFormOf(object)
  if (stored === undefined) return done(Result.succeed(object))
  const { converted } = base
  const refuse = (status: Status) => done(Result.fail(status))
  const onConverted = refuseOnError(core, refuse, (why: string | undefined) =>
    done(why === undefined ? Result.succeed(converted.of(stored)) : Result.fail(unknownError(why)))
  )
  converted.prepare(stored, false, onConverted)
}

/** Calls `done` with an object of a dry run as it would be read back. */
export const readBackUnstored = (
  core: ServerCore,
  state: KindState,
  object: KubeObject,
  done: (result: Result.Result<KubeObject, Status>) => void
) => {
  const converted = state.base?.converted
  if (converted === undefined) return readBack(core, state, object, done)
  converted.toStorage(object, (result) => {
    if (Result.isFailure(result)) done(Result.fail(unknownError(result.failure.message)))
    else readBack(core, state, object, done)
  })
}
