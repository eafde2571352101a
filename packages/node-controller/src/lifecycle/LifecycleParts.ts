import type { Node } from "@rollcall/api"
import { Cluster, EventRecorder, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NodePatches } from "../NodePatches.ts"
import { Observer } from "../Observer.ts"
import { ZoneMeters } from "./metrics.ts"
import type { NodeLifecycleSettings } from "./NodeLifecycleSettings.ts"
import { NodeRecords } from "./NodeRecords.ts"
import { NodeReconciler } from "./NodeWorkers.ts"

import { CurrentPassModel } from "./PassModel.ts"

const COMPONENT = "node-controller"

const make = Effect.fnUntraced(function* (settings: NodeLifecycleSettings) {
  const timers = yield* Timers
  const cluster = yield* Cluster
  const observer = yield* Observer
  const recorder = yield* EventRecorder.make({ component: COMPONENT })
  const metrics = yield* Effect.context<never>()
  const records = new NodeRecords()
  const patches = new NodePatches(cluster, timers.now, {
    newest: (name) => records.find(name)?.node,
    onWrite: (node) => onWrite(node)
  })
  const reconciler = new NodeReconciler(
    yield* WorkQueue.named<string>("node_lifecycle_controller"),
    records,
    patches,
    settings.conditionTaints
  )
  /**
   * Called with each node that this controller wrote: queues the update of its NoSchedule taints at once, or the
   * NoExecute path, which also sees the change, would write first.
   */
  const onWrite = (node: Node) => {
    if (records.setWritten(node)) reconciler.enqueueIfNeeded(node)
  }
  return {
    settings,
    timers,
    cluster,
    observer,
    model: yield* CurrentPassModel,
    recorder,
    metrics,
    meters: new ZoneMeters(metrics),
    records,
    patches,
    reconciler,
    onWrite
  }
})

/**
 * The state that the loops of one node lifecycle controller share: its records of nodes, and the means to patch them.
 */
export class LifecycleParts extends Context.Service<LifecycleParts, Effect.Success<ReturnType<typeof make>>>()(
  "@rollcall/node-controller/LifecycleParts"
) {
  static readonly layer = (settings: NodeLifecycleSettings) => Layer.effect(LifecycleParts, make(settings))
}
