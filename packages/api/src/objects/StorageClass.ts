import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { Quantity } from "./Scalars.ts"

/** A kind of storage that a provisioner makes on demand. Cluster-scoped. */
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

/** What a CSI driver wants of Kubernetes. Cluster-scoped. */
export const CSIDriver = Schema.Struct({ ...typed("storage.k8s.io/v1", "CSIDriver"), spec: CSIDriverSpec })
export interface CSIDriver extends Schema.Schema.Type<typeof CSIDriver> {}

/** How much of a storage class there is in one part of the cluster. */
export const CSIStorageCapacity = Schema.Struct({
  ...typed("storage.k8s.io/v1", "CSIStorageCapacity"),
  nodeTopology: opt(LabelSelector),
  storageClassName: Schema.String,
  capacity: opt(Quantity),
  maximumVolumeSize: opt(Quantity)
})
export interface CSIStorageCapacity extends Schema.Schema.Type<typeof CSIStorageCapacity> {}

/** Attributes of volumes that may change while they are used. Cluster-scoped. */
export const VolumeAttributesClass = Schema.Struct({
  ...typed("storage.k8s.io/v1", "VolumeAttributesClass"),
  driverName: Schema.String,
  parameters: opt(StringMap)
})
export interface VolumeAttributesClass extends Schema.Schema.Type<typeof VolumeAttributesClass> {}

/** A way to run containers, and what it costs. Cluster-scoped. */
export const RuntimeClass = Schema.Struct({
  ...typed("node.k8s.io/v1", "RuntimeClass"),
  handler: Schema.String,
  overhead: opt(Schema.Struct({ podFixed: opt(Schema.Record(Schema.String, Quantity)) })),
  scheduling: opt(Schema.Struct({ nodeSelector: opt(StringMap), tolerations: opt(list(Opaque)) }))
})
export interface RuntimeClass extends Schema.Schema.Type<typeof RuntimeClass> {}
