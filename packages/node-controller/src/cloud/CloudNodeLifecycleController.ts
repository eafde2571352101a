import { CurrentRelease, type Node, type ObjectReference } from "@rollcall/api"
import { Cluster, type ClusterError, EventRecorder, forkController } from "@rollcall/cluster"
import { contained, repeatPasses, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { logFailure } from "../failureLog.ts"
import { NodePatches } from "../NodePatches.ts"
import { CloudNodes } from "./CloudNodes.ts"
import { CloudProvider } from "./CloudProvider.ts"
import { type CloudSettings, cloudSettings } from "./CloudSettings.ts"
import { type InstanceAnswers, judgeInstance, shutdownTaint } from "./judgeInstance.ts"

const COMPONENT = "cloud-node-lifecycle-controller"
/** The component name of the node controller that did this before external cloud providers existed. */
const OLD_COMPONENT = "controllermanager"

export interface CloudNodeLifecycleControllerShape {
  /** Checks all nodes once, for callers with their own clock. */
  readonly monitorNodes: Effect.Effect<void>
}

/** The reference in Events about a node; it has no apiVersion, as upstream's. */
const referenceTo = ({ metadata: { name = "", uid } }: Node): ObjectReference => ({
  kind: "Node",
  name,
  ...(uid === undefined ? {} : { uid })
})

const assemble = Effect.fnUntraced(function* ({
  goneNodes
}: CloudSettings): Effect.fn.Return<
  CloudNodeLifecycleControllerShape,
  never,
  Cluster | Timers | CloudNodes | CloudProvider | Scope.Scope
> {
  const timers = yield* Timers
  const cluster = yield* Cluster
  const { instances } = yield* CloudProvider
  const nodes = yield* CloudNodes
  const isOldController = goneNodes === "deleteWithPods"
  const recorder = yield* EventRecorder.make({ component: isOldController ? OLD_COMPONENT : COMPONENT }).pipe(
    Effect.provideService(Cluster, cluster)
  )
  const patches = new NodePatches(cluster, timers.now)

  /**
   * Deletes all pods of the node with grace period 0; on a failure old upstream releases continue with the next node.
   */
  const deletePods = Effect.fnUntraced(function* (name: string) {
    const { items } = yield* cluster.list("Pod", { fieldSelector: `spec.nodeName=${name}` })
    for (const { metadata, spec } of items) {
      if (spec.nodeName !== name) continue
      const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" }
      yield* cluster.delete("Pod", key, { gracePeriodSeconds: 0 })
    }
  })

  const deleteNode = (node: Node) => {
    const name = node.metadata.name ?? ""
    const message = isOldController
      ? `Deleting Node ${name} because it's not present according to cloud provider`
      : `Deleting node ${name} because it does not exist in the cloud provider`
    recorder.event(referenceTo(node), "Normal", "DeletingNode", message)
    const deletion = cluster.delete("Node", { name })
    return Effect.catch(isOldController ? Effect.andThen(deletePods(name), deletion) : deletion, (error) =>
      Effect.suspend(() => {
        if (!isOldController) {
          const text = `Failed deleting node ${name}: ${error.message}`
          recorder.event(referenceTo(node), "Warning", "DeletingNodeFailed", text)
        }
        return logFailure("unable to delete node", error.message, { node: name })
      })
    )
  }

  const logPatchFailure = (node: Node, logMessage: string) =>
    Effect.catch(({ message }: ClusterError) => logFailure(logMessage, message, { node: node.metadata.name ?? "" }))

  const check = (node: Node, answers: InstanceAnswers = {}): Effect.Effect<void> => {
    switch (judgeInstance(node, answers)) {
      case "askExists":
        return Effect.flatMap(Effect.result(instances.instanceExists(node)), (exists) => check(node, { exists }))
      case "askShutdown":
        if (isOldController) return Effect.void
        return Effect.flatMap(Effect.result(instances.instanceShutdown(node)), (shutdown) =>
          check(node, { ...answers, shutdown })
        )
      case "delete":
        return Effect.asVoid(deleteNode(node))
      case "addTaint":
        return logPatchFailure(
          node,
          "failed to apply shutdown taint to node, it may have been deleted"
        )(patches.add(node, [shutdownTaint]))
      case "removeTaint":
        return logPatchFailure(node, "error patching node taints")(patches.remove(node, [shutdownTaint]))
      case "nothing":
        return Effect.void
    }
  }
  return {
    monitorNodes: Effect.suspend(() => {
      // Nearly all nodes are Ready and need no request.
      const concerned = nodes.list().filter((node) => judgeInstance(node) !== "nothing")
      return Effect.forEach(
        concerned,
        (node) =>
          contained(
            timers,
            "cloud node lifecycle pass",
            Effect.suspend(() => check(node)),
            { node: node.metadata.name }
          ),
        { discard: true }
      )
    })
  }
})

/**
 * Deletes nodes whose machines no longer exist in the cloud, and taints those whose machines are shut down, once they
 * are not Ready. Upstream: staging/src/k8s.io/cloud-provider/controllers/nodelifecycle/node_lifecycle_controller.go;
 * before that, pkg/controller/node/nodecontroller.go.
 */
export class CloudNodeLifecycleController extends Context.Service<
  CloudNodeLifecycleController,
  CloudNodeLifecycleControllerShape
>()("@rollcall/node-controller/CloudNodeLifecycleController") {
  /** Runs while its scope is open. */
  static readonly layer = (
    given: Partial<CloudSettings> = {}
  ): Layer.Layer<CloudNodeLifecycleController, never, Cluster | Timers | CloudNodes | CloudProvider> =>
    Layer.effect(
      CloudNodeLifecycleController,
      Effect.gen(function* () {
        const settings = cloudSettings(given, yield* CurrentRelease)
        const controller = yield* assemble(settings)
        const nodes = yield* CloudNodes
        const { monitorNodes } = controller
        const loop = repeatPasses(
          yield* Timers,
          "cloud node lifecycle pass",
          monitorNodes,
          settings.nodeMonitorPeriodMs
        )
        yield* forkController("cloud-node-lifecycle-controller")(Effect.andThen(nodes.synced, loop))
        return controller
      })
    )
}
