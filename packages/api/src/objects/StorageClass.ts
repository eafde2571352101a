import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { Quantity } from "./Scalars.ts"

/** A class of storage that a provisioner creates on demand. Cluster-scoped. */
export const StorageClass = Schema.Struct({
  ...typed("storage.k8s.io/v1", "StorageClass"),
  provisioner: Schema.String,
  parameters: opt(StringMap),
  reclaimPolicy: opt(oneOf("Retain", "Delete", "Recycle")),
  mountOptions: opt(list(Schema.String)),
  allowVolumeExpansion: opt(Schema.Boolean),
  volumeBindingMode: opt(oneOf("Immediate", "WaitForFirstConsumer")),
  allowedTopologies: opt(
    list(
      Schema.Struct({
        matchLabelExpressions: opt(list(Schema.Struct({ key: Schema.String, values: list(Schema.String) })))
      })
    )
  )
})
export interface StorageClass extends Schema.Schema.Type<typeof StorageClass> {}

export const CSIDriverSpec = Schema.Struct({
  attachRequired: opt(Schema.Boolean),
  podInfoOnMount: opt(Schema.Boolean),
  volumeLifecycleModes: opt(list(oneOf("Persistent", "Ephemeral"))),
  storageCapacity: opt(Schema.Boolean),
  fsGroupPolicy: opt(oneOf("ReadWriteOnceWithFSType", "File", "None")),
  tokenRequests: opt(list(Schema.Struct({ audience: Schema.String, expirationSeconds: opt(Schema.Int) }))),
  requiresRepublish: opt(Schema.Boolean),
  seLinuxMount: opt(Schema.Boolean),
  nodeAllocatableUpdatePeriodSeconds: opt(Schema.Int),
  serviceAccountTokenInSecrets: opt(Schema.Boolean),
  preventPodSchedulingIfMissing: opt(Schema.Boolean)
})
export interface CSIDriverSpec extends Schema.Schema.Type<typeof CSIDriverSpec> {}

/** The capabilities and requirements of a CSI driver. Cluster-scoped. */
export const CSIDriver = Schema.Struct({ ...typed("storage.k8s.io/v1", "CSIDriver"), spec: CSIDriverSpec })
export interface CSIDriver extends Schema.Schema.Type<typeof CSIDriver> {}

/** The free capacity of a storage class in one topology segment of the cluster. */
export const CSIStorageCapacity = Schema.Struct({
  ...typed("storage.k8s.io/v1", "CSIStorageCapacity"),
  nodeTopology: opt(LabelSelector),
  storageClassName: Schema.String,
  capacity: opt(Quantity),
  maximumVolumeSize: opt(Quantity)
})
export interface CSIStorageCapacity extends Schema.Schema.Type<typeof CSIStorageCapacity> {}

/** Mutable attributes of volumes. Cluster-scoped. */
export const VolumeAttributesClass = Schema.Struct({
  ...typed("storage.k8s.io/v1", "VolumeAttributesClass"),
  driverName: Schema.String,
  parameters: opt(StringMap)
})
export interface VolumeAttributesClass extends Schema.Schema.Type<typeof VolumeAttributesClass> {}

/** A container runtime handler, its overhead and its nodes. Cluster-scoped. */
export const RuntimeClass = Schema.Struct({
  ...typed("node.k8s.io/v1", "RuntimeClass"),
  handler: Schema.String,
  overhead: opt(Schema.Struct({ podFixed: opt(Schema.Record(Schema.String, Quantity)) })),
  scheduling: opt(Schema.Struct({ nodeSelector: opt(StringMap), tolerations: opt(list(Opaque)) }))
})
export interface RuntimeClass extends Schema.Schema.Type<typeof RuntimeClass> {}
