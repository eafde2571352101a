import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerWallClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Kubectl, kubectlFor } from "../src/process/kubectl.ts"
import type { Program } from "../src/process/Program.ts"
import { rollcall, startRollcall, temporaryFolder } from "../src/process/rollcall.ts"

/** A short grace period for silent nodes, but long enough for a busy machine. */
const scenario = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "small" },
  spec: {
    duration: "1h",
    cluster: {
      nodes: [
        { name: "a", count: 2, zone: "zone-a", region: "home" },
        { name: "b", count: 2, zone: "zone-b", region: "home" },
        // No pod runs here, so tests can cut the node off beside other tests.
        { name: "quiet", count: 1, zone: "zone-q", taints: [{ key: "quiet", effect: "NoSchedule" }] }
      ]
    },
    config: {
      kubeControllerManager: {
        kubeCloudShared: { nodeMonitorPeriod: "1s" },
        nodeLifecycleController: { nodeMonitorGracePeriod: "6s" }
      },
      kubelet: { nodeLeaseDurationSeconds: 4 }
    }
  }
}

export interface UpClusterShape {
  readonly kubectl: Kubectl
  readonly folder: string
  readonly up: Program
  /** Runs `rollcall …` with this cluster's kubeconfig. */
  readonly rollcall: typeof rollcall
}

/** `rollcall up` as a separate process, with five nodes in three zones. */
export class UpCluster extends Context.Service<UpCluster, UpClusterShape>()("@rollcall/live/UpCluster") {
  static readonly layer: Layer.Layer<UpCluster> = Layer.effect(
    UpCluster,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "small.yaml")
      const kubeconfig = join(folder, "admin.conf")
      writeFileSync(file, JSON.stringify(scenario))
      const up = yield* startRollcall("up", "--config", file, "--port", "0", "--data-dir", folder)
      yield* up.waitForOutput(/5 nodes are Ready/)
      return UpCluster.of({
        folder,
        up,
        kubectl: kubectlFor(kubeconfig),
        rollcall: (...args) => rollcall(...args, "--kubeconfig", kubeconfig)
      })
    })
  ).pipe(Layer.provide(layerWallClock()))
}
