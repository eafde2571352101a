import { nodeLeaseNamespace } from "@rollcall/api"
import { type Cluster, type Informer, Informers } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The name of the index of pods by spec.nodeName. */
export const byNodeName = "nodeName"

/** The caches that the controllers of one manager share, as upstream's shared informer factory. */
export class ControllerInformers extends Context.Service<
  ControllerInformers,
  {
    readonly nodes: Informer<"Node">
    readonly pods: Informer<"Pod">
    /** The leases in the namespace kube-node-lease only. */
    readonly leases: Informer<"Lease">
    /** Waits until all three have their first list. */
    readonly synced: Effect.Effect<void>
  }
>()("@rollcall/node-controller/ControllerInformers") {
  /** Lists and watches through the given Cluster, which should not be a controller's: each has its own rate limit. */
  static readonly layer: Layer.Layer<ControllerInformers, never, Cluster | Timers> = Layer.effect(
    ControllerInformers,
    Effect.gen(function* () {
      const { get } = yield* Informers
      const nodes = yield* get("Node")
      const leases = yield* get("Lease", { namespace: nodeLeaseNamespace })
      const pods = yield* get("Pod", { indexes: { [byNodeName]: (pod) => pod.spec.nodeName } })
      const synced = Effect.all([nodes.synced, leases.synced, pods.synced], { discard: true })
      return { nodes, pods, leases, synced }
    })
  )
}
