import type { Connection } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { type HandleError, makeVirtualTime, type TimersShape, type VirtualServices } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { ApiServer, type ApiServerOptions } from "../core/ApiServer.ts"

const START_MS = Date.UTC(2026, 0, 1)

/** The server and the randomness of a run. */
export interface RunOptions {
  readonly server?: ApiServerOptions
  /** The seed of Effect's Random, and so of generated names and uids; by default "test". */
  readonly seed?: string
  /** Receives the errors that callbacks of timers throw; by default the run throws them. */
  readonly handleError?: HandleError
}

/**
 * Runs an effect in its own virtual time, which starts at 2026-01-01T00:00:00Z, with its own API server over a store in
 * memory, and returns its result. `admin` is the connection of an administrator. Throws what the effect fails with.
 */
export const runWithApiServer = <A, E>(
  program: (admin: Connection, timers: TimersShape) => Effect.Effect<A, E, ApiServer | VirtualServices | Scope.Scope>,
  { handleError, seed = "test", server }: RunOptions = {}
): A => {
  const { run, timers } = makeVirtualTime(START_MS, handleError === undefined ? {} : { handleError })
  const exit = run(
    Effect.flatMap(ApiServer, ({ connect }) =>
      program(connect({ user: "admin", groups: ["system:masters"], userAgent: "test" }), timers)
    ).pipe(
      Effect.provide(ApiServer.layer(server).pipe(Layer.provide(layerMemory()))),
      Effect.scoped,
      Random.withSeed(seed)
    )
  )
  if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
  return exit.value
}
