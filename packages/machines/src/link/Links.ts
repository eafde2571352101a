import type { Connection } from "@rollcall/cluster"
import { rngFor, Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Link, makeLink } from "./Link.ts"

export interface LinksShape {
  /** Called once for each machine, when it is made, with its kubelet's undisturbed connection to the API server. */
  readonly of: (name: string, connection: Connection) => Link
}

/**
 * The port to the network between machines and the API server: one service makes the links of all machines of a
 * process. Implementations are tested by `linkContract` of `@rollcall/machines/testing`.
 */
export class Links extends Context.Service<Links, LinksShape>()("@rollcall/machines/Links") {
  /** Links that are undisturbed until a fault changes them. The seed decides which requests a lossy link loses. */
  static readonly modelled = (timers: TimersShape, seed: number): LinksShape => ({
    of: (name, connection) => makeLink(connection, timers, rngFor(seed, `link ${name}`))
  })

  static readonly layerModelled = (seed: number): Layer.Layer<Links, never, Timers> =>
    Layer.effect(
      Links,
      Effect.map(Timers, (timers) => Links.modelled(timers, seed))
    )
}
