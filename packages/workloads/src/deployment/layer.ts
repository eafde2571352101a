import { Controller } from "@rollcall/cluster"
import { orphanIn } from "../claims.ts"
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
      const caches = { deployments: cache("Deployment"), replicaSets: cache("ReplicaSet") }
      const controller = new Deployments({ ...parts, ...caches })
      return (key) => controller.sync(key)
    }
  })
