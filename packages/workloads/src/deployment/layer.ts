import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { awaitOwnWrites } from "../consistency/awaitOwnWrites.ts"
import { isNamespaceTerminating } from "../replicaset/PodControl.ts"
import { Deployments, ownerIndex } from "./Deployments.ts"

export interface DeploymentConfig {
  /** `--concurrent-deployment-syncs` */
  readonly concurrentSyncs: number
}

export const defaultDeploymentConfig: DeploymentConfig = { concurrentSyncs: 5 }

/** Keeps the ReplicaSets of all Deployments while the layer lives, through the Cluster in context. */
export const layerDeployments = (config: Partial<DeploymentConfig> = {}) =>
  Controller.make({
    name: "deployment-controller",
    queue: "deployment",
    records: true,
    for: "Deployment",
    owns: { ReplicaSet: { indexes: { owner: ownerIndex, orphans: orphanIn }, adoptedBy: ({ spec }) => spec.selector } },
    workers: { ...defaultDeploymentConfig, ...config }.concurrentSyncs,
    reconcile: ({ cache, ...parts }) => {
      const { cluster, once } = awaitOwnWrites({ ...parts, cache, kinds: ["Deployment", "ReplicaSet"] })
      const caches = { deployments: cache("Deployment"), replicaSets: cache("ReplicaSet") }
      const controller = new Deployments({ ...parts, ...caches, cluster })
      // In a terminating namespace no later attempt can succeed. Upstream: handleErr.
      return once((key) => controller.sync(key).pipe(Effect.catchIf(isNamespaceTerminating, () => Effect.void)))
    }
  })
