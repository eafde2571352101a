import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Node, NodeCondition, Pod } from "@rollcall/api"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { eventually } from "../src/process/eventually.ts"
import { configOf, connectionTo, startRollcall, temporaryFolder } from "../src/process/rollcall.ts"

/** Two modelled nodes, and a short grace period for silent nodes. */
const scenario = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "linux" },
  spec: {
    duration: "1h",
    cluster: { nodes: [{ name: "a", count: 2 }] },
    config: {
      kubeControllerManager: {
        kubeCloudShared: { nodeMonitorPeriod: "1s" },
        nodeLifecycleController: { nodeMonitorGracePeriod: "6s" }
      },
      kubelet: { nodeLeaseDurationSeconds: 4 }
    }
  }
}

/** `rollcall up` as a separate process that kubelets of this machine join. */
export class LinuxCluster extends Context.Service<
  LinuxCluster,
  { readonly kubeconfig: string; readonly cluster: ClusterShape }
>()("@rollcall/live/LinuxCluster") {
  static readonly layer: Layer.Layer<LinuxCluster> = Layer.effect(
    LinuxCluster,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "linux.yaml")
      writeFileSync(file, JSON.stringify(scenario))
      const up = yield* startRollcall("up", "--config", file, "--port", "0", "--data-dir", folder)
      yield* up.waitForOutput(/2 nodes are Ready/)
      const kubeconfig = join(folder, "admin.conf")
      const cluster = fromConnection(yield* connectionTo(yield* configOf(kubeconfig)))
      return LinuxCluster.of({ kubeconfig, cluster })
    })
  ).pipe(Layer.provide(layerWallClock()))
}

/** Short periods for the tests' kubelets. */
export const shortPeriods = { nodeStatusUpdateFrequency: "1s", nodeLeaseDurationSeconds: 4 }

export const conditionOf = (node: Node, type: string): NodeCondition | undefined =>
  node.status?.conditions?.find((condition) => condition.type === type)

/** Waits until a condition of a node has this status. */
export const nodeBecomes = Effect.fnUntraced(function* (
  name: string,
  type: string,
  status: "True" | "False" | "Unknown"
) {
  const { cluster } = yield* LinuxCluster
  return yield* eventually(
    `${type} of ${name} is ${status}`,
    cluster.get("Node", { name }),
    (node) => conditionOf(node, type)?.status === status
  )
})

/** Waits until a pod is in this phase. */
export const podBecomes = Effect.fnUntraced(function* (name: string, phase: string) {
  const { cluster } = yield* LinuxCluster
  return yield* eventually(
    `pod ${name} is ${phase}`,
    cluster.get("Pod", { namespace: "default", name }),
    ({ status }) => status?.phase === phase
  )
})

/** Waits until a pod is deleted. */
export const podIsDeleted = Effect.fnUntraced(function* (name: string) {
  const { cluster } = yield* LinuxCluster
  const names = Effect.map(cluster.list("Pod", { namespace: "default" }), ({ items }) =>
    items.map(({ metadata }) => metadata.name)
  )
  yield* eventually(`pod ${name} is gone`, names, (found) => !found.includes(name))
})

/** A pod that does nothing and ends within a second. */
export const podNamed = (name: string, spec: Partial<Pod["spec"]>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }],
    ...spec
  }
})
