import type { Cluster } from "@rollcall/cluster"
import type * as Layer from "effect/Layer"

export interface ClientLimit {
  readonly qps: number
  readonly burst: number
}

/** Makes the API clients of a component: one client with its own rate limit for each controller. */
export interface ClientMaker {
  /** A client with its own rate limit for one controller; requests that wait in it fail when its scope closes. */
  readonly layer: (name: string, limit: ClientLimit) => Layer.Layer<Cluster>
}
