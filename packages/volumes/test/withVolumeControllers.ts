import {
  annotationSelectedNode,
  type Event,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass
} from "@rollcall/api"
import { storageObjectInUse } from "@rollcall/api-server"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, fromConnection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import {
  layerAttributesProtection,
  layerClaimProtection,
  layerEphemeralVolumes,
  layerModelledDriver,
  layerVolumeBinder,
  layerVolumeExpander,
  layerVolumeProtection,
  modelledDriver
} from "../src/index.ts"

export const claimOf = (name: string, spec: PersistentVolumeClaim["spec"] = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } }, ...spec }
})

export const volumeOf = (name: string, spec: PersistentVolume["spec"] = {}): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: `/mnt/${name}` },
    ...spec
  }
})

export const classOf = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: modelledDriver,
  ...more
})

export const nodeOf = (name: string, zone: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "topology.kubernetes.io/zone": zone } }
})

export const podOf = (name: string, claimName: string, nodeName = ""): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    ...(nodeName === "" ? {} : { nodeName }),
    containers: [{ name: "c", image: "i" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }]
  }
})

type ClientEffect<A> = Effect.Effect<A, ClusterError>

export interface VolumesSetup {
  readonly cluster: ClusterShape
  readonly claim: (name: string) => ClientEffect<PersistentVolumeClaim>
  readonly volume: (name: string) => ClientEffect<PersistentVolume>
  readonly volumes: ClientEffect<ReadonlyArray<PersistentVolume>>
  /** Type, reason and message of each Event about an object, the first of each kind. */
  readonly eventsOf: (name: string) => ClientEffect<ReadonlyArray<string>>
  /** Selects a node for a pending claim, as the scheduler does. */
  readonly select: (claim: string, node: string) => ClientEffect<unknown>
}

const setupOf = (cluster: ClusterShape): VolumesSetup => ({
  cluster,
  claim: (name) => cluster.get("PersistentVolumeClaim", { namespace: "default", name }),
  volume: (name) => cluster.get("PersistentVolume", { name }),
  volumes: Effect.map(cluster.list("PersistentVolume"), ({ items }) => items),
  eventsOf: (name) =>
    Effect.map(cluster.list("Event"), ({ items }) =>
      items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ message, reason, type }: Event) => `${type} ${reason} ${message}`)
    ),
  select: (name, node) =>
    cluster.patch("PersistentVolumeClaim", { namespace: "default", name }, "merge", {
      metadata: { annotations: { [annotationSelectedNode]: node } }
    })
})

/** Runs an effect in virtual time with an API server, the volume controllers and the modelled driver. */
export const withVolumeControllers = (
  test: (setup: VolumesSetup) => Effect.Effect<void, ClusterError, Scope.Scope | Timers>,
  { driver = true, protection = true } = {}
): void =>
  runWithApiServer(
    (admin) => {
      const controllers = Layer.mergeAll(
        layerVolumeBinder(),
        layerEphemeralVolumes,
        layerVolumeExpander,
        protection
          ? Layer.mergeAll(layerClaimProtection, layerVolumeProtection, layerAttributesProtection)
          : Layer.empty,
        driver ? layerModelledDriver() : Layer.empty
      ).pipe(Layer.provide(Cluster.layerConnection(admin)))
      return test(setupOf(fromConnection(admin))).pipe(Effect.provide(controllers))
    },
    { server: { admission: protection ? [storageObjectInUse] : [] }, seed: "volumes" }
  )
