import type { CSINode, PersistentVolume, PersistentVolumeClaim, Pod, Volume, VolumeAttachment } from "@rollcall/api"
import { Algorithm, defaultProfile, type SchedulingCache } from "../src/index.ts"
import { podNamed } from "./withScheduler.ts"

export const claimOf = (
  name: string,
  volumeName: string,
  accessMode: "ReadWriteOnce" | "ReadWriteOncePod" = "ReadWriteOnce"
): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name,
    namespace: "default",
    ...(volumeName === "" ? {} : { annotations: { "pv.kubernetes.io/bind-completed": "yes" } })
  },
  spec: { accessModes: [accessMode], resources: { requests: { storage: "1Gi" } }, volumeName }
})

export const volumeNamed = (
  name: string,
  labels: Record<string, string> = {},
  csi = { driver: "disks.example.com", volumeHandle: name }
): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, labels },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi }
})

export const csiNodeOf = (name: string, count: number, driver = "disks.example.com"): CSINode => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSINode",
  metadata: { name },
  spec: { drivers: [{ name: driver, nodeID: name, allocatable: { count } }] }
})

export const attachmentOf = (nodeName: string, persistentVolumeName: string): VolumeAttachment => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: `${nodeName}-${persistentVolumeName}` },
  spec: { attacher: "disks.example.com", nodeName, source: { persistentVolumeName } }
})

export const podWithClaims = (name: string, ...claims: ReadonlyArray<string>): Pod =>
  podNamed(name, "100m", {
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))
  })

/** Returns a pod with these volume sources, named v0, v1, … */
export const podWithVolumes = (name: string, ...volumes: ReadonlyArray<object>): Pod =>
  podNamed(name, "100m", {
    volumes: volumes.map((source, index): Volume => Object.assign({ name: `v${index}` }, source))
  })

/** Adds a bound claim and its volume to the cache. */
export const bindClaim = (
  cache: SchedulingCache,
  name: string,
  volume = volumeNamed(`pv-${name}`),
  accessMode?: "ReadWriteOnce" | "ReadWriteOncePod"
): void => {
  cache.setVolume(volume.metadata.name ?? "", volume)
  cache.setClaim("default", name, claimOf(name, volume.metadata.name ?? "", accessMode))
}

/** Returns the node that the pod would be bound to, or the reason why there is none. */
export const nodeOrReason = (cache: SchedulingCache, pod: Pod) => {
  const algorithm = new Algorithm(cache, { profile: defaultProfile, percentageOfNodesToScore: 0, random: () => 0 })
  const decision = algorithm.schedule(cache.describe(pod))
  return decision._tag === "Bind" ? decision.node : decision.message.replace(/ no new claims.*/, "")
}

export const placePod = (cache: SchedulingCache, pod: Pod, node: string): void =>
  cache.place(cache.describe({ ...pod, spec: { ...pod.spec, nodeName: node } }), node)
