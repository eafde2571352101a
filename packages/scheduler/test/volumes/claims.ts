import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@rollcall/api"

const zoneLabel = "topology.kubernetes.io/zone"

/** Returns a class with WaitForFirstConsumer: its claims are bound once a pod uses them. */
export const classNamed = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: "disks.example.com",
  volumeBindingMode: "WaitForFirstConsumer",
  ...more
})

/** A class without a provisioner: its volumes are created by an administrator. */
export const localClass = classNamed("local", { provisioner: "kubernetes.io/no-provisioner" })

export interface ClaimOptions {
  readonly size?: string
  readonly storageClassName?: string
  readonly annotations?: Record<string, string>
  readonly more?: Partial<NonNullable<PersistentVolumeClaim["spec"]>>
}

export const claimNamed = (
  name: string,
  { annotations, more, size = "1Gi", storageClassName = "local" }: ClaimOptions = {}
): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default", ...(annotations === undefined ? {} : { annotations }) },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } }, storageClassName, ...more }
})

export interface VolumeOptions {
  readonly size?: string
  readonly storageClassName?: string
  readonly zone?: string
  readonly hosts?: ReadonlyArray<string>
  readonly labels?: Record<string, string>
  readonly phase?: NonNullable<PersistentVolume["status"]>["phase"]
  readonly more?: Partial<NonNullable<PersistentVolume["spec"]>>
}

const nodeAffinityTo = (key: string, values: ReadonlyArray<string>) => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] } }
})

export const volumeOf = (
  name: string,
  { hosts, labels = {}, more, phase = "Available", size = "1Gi", storageClassName = "local", zone }: VolumeOptions = {}
): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, labels },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: size },
    csi: { driver: "disks.example.com", volumeHandle: name },
    storageClassName,
    ...(zone === undefined ? {} : nodeAffinityTo(zoneLabel, [zone])),
    ...(hosts === undefined ? {} : nodeAffinityTo("kubernetes.io/hostname", hosts)),
    ...more
  },
  status: { phase: phase ?? "Available" }
})
