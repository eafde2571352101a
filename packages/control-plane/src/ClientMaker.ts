import type { Cluster } from "@rollcall/cluster"
import type * as Layer from "effect/Layer"

export interface ClientLimit {
  readonly qps: number
  readonly burst: number
}

/** Makes the clients of a component: each controller has one of its own, with a limit of its own. */
export interface ClientMaker {
  /** A client of its own, with a limit of its own, for one controller; what waits in it dies with its scope. */
  readonly layer: (name: string, limit: ClientLimit) => Layer.Layer<Cluster>
}
