import { CurrentRelease, type Node, parseTime } from "@rollcall/api"
import {
  Cluster,
  type ClusterError,
  type ConflictBackoff,
  EventRecorder,
  forkController,
  retryOnConflict,
  runWorkers,
  WorkQueue
} from "@rollcall/cluster"
import { contained, repeatPasses, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { patchBackoff } from "../NodePatches.ts"
import { CloudNodes } from "./CloudNodes.ts"
import { type CloudError, CloudProvider, type InstanceMetadata } from "./CloudProvider.ts"
import { type CloudSettings, cloudSettings } from "./CloudSettings.ts"
import { nodeInitializer } from "./initializeNode.ts"
import { addressesPatch, addressesToWrite, isUninitialized } from "./nodeAddresses.ts"
import { topologyLabelsToSet } from "./topologyLabels.ts"

const boundaries = [1, 4, 16, 64, 256, 1024]

/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/metrics.go. */
const taintRemovalDelaySeconds = Metric.histogram("node_controller_cloud_provider_taint_removal_delay_seconds", {
  description:
    "[ALPHA] Number of seconds after node creation when NodeController removed the cloud-provider taint of a single node.",
  boundaries
})
const initialNodeSyncDelaySeconds = Metric.histogram("node_controller_initial_node_sync_delay_seconds", {
  description:
    "[ALPHA] Number of seconds after node creation when NodeController finished the initial synchronization of a single node.",
  boundaries
})

const COMPONENT = "cloud-node-controller"

/** Why a node could not be synced; the sync is retried. */
export interface CloudSyncFailure {
  readonly message: string
}

/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go UpdateNodeSpecBackoff. */
const initializeBackoff: ConflictBackoff = { steps: 20, durationMs: 50, factor: 1, jitter: 1 }

export interface CloudNodeControllerShape {
  /** Updates the addresses of all nodes once, for callers with their own clock. */
  readonly updateAddresses: Effect.Effect<void>
  /**
   * Syncs the node of this name once: initializes it, or sets its topology labels. A failure means that it must be
   * retried.
   */
  readonly sync: (name: string) => Effect.Effect<void, CloudSyncFailure>
}

interface ControllerWithLoop extends CloudNodeControllerShape {
  readonly run: Effect.Effect<void>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: puts the controller together; each function in it is short.
const assemble = Effect.fnUntraced(function* (
  settings: CloudSettings
): Effect.fn.Return<ControllerWithLoop, never, Cluster | Timers | CloudNodes | CloudProvider | Scope.Scope> {
  const timers = yield* Timers
  const cluster = yield* Cluster
  const { instances } = yield* CloudProvider
  const nodes = yield* CloudNodes
  const recorder = yield* EventRecorder.make({ component: COMPONENT })
  const queue = yield* WorkQueue.named<string>("Nodes")

  const failWith = (what: string) => (error: CloudError | ClusterError) =>
    Effect.fail({ message: what + error.message })
  const sinceCreation = (node: Node) => (timers.now() - parseTime(node.metadata.creationTimestamp ?? "")) / 1000

  const writeAddresses = (node: Node, { nodeAddresses }: InstanceMetadata) => {
    const name = node.metadata.name ?? ""
    const next = addressesToWrite(node, nodeAddresses)
    const written = Result.isFailure(next)
      ? Effect.fail({ message: next.failure })
      : next.success === undefined
        ? Effect.void
        : cluster.patch("Node", { name }, "strategic", addressesPatch(next.success), { subresource: "status" })
    return Effect.catch(Effect.asVoid(written), ({ message }) =>
      Effect.logDebug("node addresses not updated").pipe(Effect.annotateLogs({ node: name, error: message }))
    )
  }

  const initialize = Effect.fnUntraced(function* (node: Node) {
    const name = node.metadata.name ?? ""
    const metadata = yield* instances
      .instanceMetadata(node)
      .pipe(Effect.catch(failWith(`failed to get instance metadata for node ${name}: `)))
    if (metadata === undefined) return
    const change = nodeInitializer(node, metadata)
    if (Result.isFailure(change)) return yield* Effect.fail<CloudSyncFailure>({ message: change.failure })
    const attempt = Effect.suspend(() => cluster.update("Node", change.success(nodes.find(name) ?? node)))
    yield* retryOnConflict(initializeBackoff, () =>
      Effect.flatMap(attempt, (updated) => writeAddresses(updated, metadata))
    ).pipe(Effect.catch(failWith("")))
    yield* Metric.update(taintRemovalDelaySeconds, sinceCreation(node))
    recorder.event(node, "Normal", "Synced", "Node synced successfully")
    yield* Metric.update(initialNodeSyncDelaySeconds, sinceCreation(node))
  })

  const sync = (name: string): Effect.Effect<void, CloudSyncFailure> =>
    Effect.suspend(() => {
      const node = nodes.find(name)
      if (node === undefined) return Effect.void
      if (isUninitialized(node)) return initialize(node)
      const labels = topologyLabelsToSet(node.metadata.labels)
      if (labels === undefined) return Effect.void
      const patch = cluster.patch("Node", { name }, "strategic", { metadata: { labels } })
      return retryOnConflict(patchBackoff, () => Effect.asVoid(patch)).pipe(Effect.catch(failWith("")))
    })

  const updateAddressesOf = (node: Node) =>
    isUninitialized(node)
      ? Effect.void
      : instances.instanceMetadata(node).pipe(
          Effect.flatMap((metadata) => (metadata === undefined ? Effect.void : writeAddresses(node, metadata))),
          Effect.catch(({ message }) =>
            Effect.logDebug("no metadata of a node's instance").pipe(
              Effect.annotateLogs({ node: node.metadata.name, error: message })
            )
          )
        )
  const concurrency = settings.concurrentNodeStatusUpdates || settings.concurrentNodeSyncs
  const updateAddresses = Effect.suspend(() =>
    Effect.forEach(
      nodes.list(),
      (node) =>
        contained(
          timers,
          "node addresses",
          Effect.suspend(() => updateAddressesOf(node)),
          { node: node.metadata.name }
        ),
      { concurrency, discard: true }
    )
  )

  const enqueue = (node: Node) => queue.add(node.metadata.name ?? "")
  yield* Effect.acquireRelease(
    Effect.sync(() => nodes.addHandler({ onAdd: enqueue, onUpdate: (_, node) => enqueue(node) })),
    (remove) => Effect.sync(remove)
  )
  const workers = runWorkers(queue, settings.concurrentNodeSyncs, sync, (node, { message }) =>
    Effect.logDebug("node not initialised").pipe(Effect.annotateLogs({ node, error: message }))
  )
  const updates = repeatPasses(timers, "node addresses", updateAddresses, settings.nodeStatusUpdateFrequencyMs)
  return {
    updateAddresses,
    sync,
    run: nodes.synced.pipe(Effect.andThen(Effect.all([workers, updates], { concurrency: "unbounded", discard: true })))
  }
})

/**
 * Copies what the cloud knows of a machine to its Node: for an uninitialized Node its provider ID, type and place; for
 * all others periodically the addresses.
 * Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go.
 */
export class CloudNodeController extends Context.Service<CloudNodeController, CloudNodeControllerShape>()(
  "@rollcall/node-controller/CloudNodeController"
) {
  /** Makes the controller without starting it: it syncs on request. */
  static readonly make = (
    settings: Partial<CloudSettings> = {}
  ): Effect.Effect<CloudNodeControllerShape, never, Cluster | Timers | CloudNodes | CloudProvider | Scope.Scope> =>
    Effect.flatMap(CurrentRelease, (release) => assemble(cloudSettings(settings, release)))

  /** Runs while its scope is open. */
  static readonly layer = (
    settings: Partial<CloudSettings> = {}
  ): Layer.Layer<CloudNodeController, never, Cluster | Timers | CloudNodes | CloudProvider> =>
    Layer.effect(
      CloudNodeController,
      Effect.gen(function* () {
        const controller = yield* assemble(cloudSettings(settings, yield* CurrentRelease))
        yield* forkController("cloud-node-controller")(controller.run)
        return controller
      })
    )
}
