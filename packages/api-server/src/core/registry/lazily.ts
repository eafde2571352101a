import { type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"

/** Returns steps that load a module when they first run, and have it at once from then on. */
export const lazily = <A>(load: () => Promise<A>): (() => Steps<A>) => {
  let loaded: A | undefined
  return function* () {
    if (loaded !== undefined) return loaded
    const result = yield* waitFor<Result.Result<A, unknown>>((done) => {
      load().then(
        (module) => done(Result.succeed(module)),
        (error: unknown) => done(Result.fail(error))
      )
    })
    if (Result.isFailure(result)) throw result.failure
    loaded = result.success
    return loaded
  }
}
