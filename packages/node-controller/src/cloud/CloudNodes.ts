import { type Cluster, type Informer, Informers } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ControllerInformers } from "../ControllerInformers.ts"

/** The cache of nodes that the controllers of a cloud share. */
export class CloudNodes extends Context.Service<CloudNodes, Informer<"Node">>()(
  "@rollcall/node-controller/CloudNodes"
) {
  static readonly layer: Layer.Layer<CloudNodes, never, Cluster | Timers> = Layer.effect(
    CloudNodes,
    Effect.flatMap(Informers, ({ get }) => get("Node"))
  )

  /** The cache of kube-controller-manager, for controllers that run inside it. */
  static readonly shared: Layer.Layer<CloudNodes, never, ControllerInformers> = Layer.effect(
    CloudNodes,
    Effect.map(ControllerInformers, ({ nodes }) => nodes)
  )
}
