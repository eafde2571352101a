import { CurrentRelease, currentGates } from "@rollcall/api"
import { Cluster, EventRecorder, forkController } from "@rollcall/cluster"
import { recovering, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { ControllerInformers } from "../ControllerInformers.ts"
import { Observer } from "../Observer.ts"
import { evictPod } from "./EvictPod.ts"
import { TaintEvictor } from "./TaintEvictor.ts"
import type { ScheduledEviction } from "./TimedEvictions.ts"

const COMPONENT = "taint-eviction-controller"
/** The component name while it was part of the node lifecycle controller. */
const OLD_COMPONENT = "taint-controller"

/**
 * Deletes pods from nodes with NoExecute taints of any origin: at once if a taint is not tolerated, else after the
 * tolerated seconds. Upstream: pkg/controller/tainteviction/taint_eviction.go.
 */
export class TaintEvictionController extends Context.Service<
  TaintEvictionController,
  {
    /** Scheduled evictions. */
    readonly pending: () => ReadonlyArray<ScheduledEviction>
    /** Pods deleted since this controller started. */
    readonly deletions: () => number
  }
>()("@rollcall/node-controller/TaintEvictionController") {
  /** Runs while its scope is open; a new controller has no scheduled evictions. */
  static readonly layer: Layer.Layer<TaintEvictionController, never, Cluster | Timers | ControllerInformers> =
    Layer.effect(
      TaintEvictionController,
      Effect.gen(function* () {
        const timers = yield* Timers
        const cluster = yield* Cluster
        const { nodes, pods, synced } = yield* ControllerInformers
        const observer = yield* Observer
        const { podEviction } = yield* CurrentRelease
        const gates = yield* currentGates
        const component = gates.SeparateTaintEvictionController ? COMPONENT : OLD_COMPONENT
        const recorder = yield* EventRecorder.make({ component })
        const run = yield* FiberSet.makeRuntime<never>()
        let deletions = 0
        const evictor = new TaintEvictor({
          timers,
          nodes,
          pods,
          recorder,
          observer,
          comparisonOperators: gates.TaintTolerationComparisonOperators,
          startDeletion: (eviction, done, failed) => {
            const deletion = Effect.map(
              evictPod(cluster, timers, eviction, gates.PodDisruptionConditions),
              (succeeded) => {
                if (succeeded) deletions++
                done()
              }
            )
            run(
              recovering(deletion, (error) =>
                Effect.sync(() => {
                  timers.handleError("taint eviction", error, { pod: `${eviction.namespace}/${eviction.pod}` })
                  failed()
                })
              )
            )
          }
        })
        const controller = { pending: () => evictor.pending(), deletions: () => deletions }
        // In releases where the node controller deletes pods this controller does not exist: taints evict nothing.
        if (podEviction === "deletion") return controller
        const removeHandlers = [nodes.addHandler(evictor.nodeHandler), pods.addHandler(evictor.podHandler)]
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            for (const remove of removeHandlers) remove()
            evictor.stop()
          })
        )
        yield* synced.pipe(
          Effect.andThen(Effect.sync(() => evictor.start())),
          forkController("taint-eviction-controller")
        )
        return controller
      })
    )
}
