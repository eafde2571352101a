import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { NodeSelector } from "./Affinity.ts"
import { LabelSelector, ObjectReference } from "./Meta.ts"
import { ConditionStatus, ResourceList, Time } from "./Scalars.ts"

const accessMode = oneOf("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
const volumeMode = oneOf("Filesystem", "Block")

/** Fields that rules read are modelled; the other sources are passed through. */
export const PersistentVolumeSpec = Schema.Struct({
  capacity: opt(ResourceList),
  hostPath: opt(Schema.Struct({ path: Schema.String, type: opt(Schema.String) })),
  local: opt(Schema.Struct({ path: Schema.String, fsType: opt(Schema.String) })),
  csi: opt(Opaque),
  nfs: opt(Opaque),
  iscsi: opt(Opaque),
  accessModes: opt(list(accessMode)),
  claimRef: opt(ObjectReference),
  persistentVolumeReclaimPolicy: opt(oneOf("Retain", "Delete", "Recycle")),
  storageClassName: opt(Schema.String),
  mountOptions: opt(list(Schema.String)),
  volumeMode: opt(volumeMode),
  nodeAffinity: opt(Schema.Struct({ required: opt(NodeSelector) })),
  volumeAttributesClassName: opt(Schema.String)
})
export interface PersistentVolumeSpec extends Schema.Schema.Type<typeof PersistentVolumeSpec> {}

/** A piece of storage. Cluster-scoped. */
export const PersistentVolume = Schema.Struct({
  ...typed("v1", "PersistentVolume"),
  spec: opt(PersistentVolumeSpec),
  status: opt(
    Schema.Struct({
      phase: opt(oneOf("Pending", "Available", "Bound", "Released", "Failed")),
      message: opt(Schema.String),
      reason: opt(Schema.String),
      lastPhaseTransitionTime: opt(Time)
    })
  )
})
export interface PersistentVolume extends Schema.Schema.Type<typeof PersistentVolume> {}

const typedReference = Schema.Struct({
  apiGroup: opt(Schema.String),
  kind: Schema.String,
  name: Schema.String,
  namespace: opt(Schema.String)
})

export const PersistentVolumeClaimSpec = Schema.Struct({
  accessModes: opt(list(accessMode)),
  selector: opt(LabelSelector),
  resources: opt(Schema.Struct({ limits: opt(ResourceList), requests: opt(ResourceList) })),
  volumeName: opt(Schema.String),
  storageClassName: opt(Schema.String),
  volumeMode: opt(volumeMode),
  dataSource: opt(Schema.Struct({ apiGroup: opt(Schema.String), kind: Schema.String, name: Schema.String })),
  dataSourceRef: opt(typedReference),
  volumeAttributesClassName: opt(Schema.String)
})
export interface PersistentVolumeClaimSpec extends Schema.Schema.Type<typeof PersistentVolumeClaimSpec> {}

/** A request for storage. */
export const PersistentVolumeClaim = Schema.Struct({
  ...typed("v1", "PersistentVolumeClaim"),
  spec: opt(PersistentVolumeClaimSpec),
  status: opt(
    Schema.Struct({
      phase: opt(oneOf("Pending", "Bound", "Lost")),
      accessModes: opt(list(accessMode)),
      capacity: opt(ResourceList),
      allocatedResources: opt(ResourceList),
      currentVolumeAttributesClassName: opt(Schema.String),
      modifyVolumeStatus: opt(
        Schema.Struct({ targetVolumeAttributesClassName: opt(Schema.String), status: opt(Schema.String) })
      ),
      conditions: opt(
        list(
          Schema.Struct({
            type: Schema.String,
            status: ConditionStatus,
            lastProbeTime: opt(Schema.NullOr(Time)),
            lastTransitionTime: opt(Schema.NullOr(Time)),
            reason: opt(Schema.String),
            message: opt(Schema.String)
          })
        )
      )
    })
  )
})
export interface PersistentVolumeClaim extends Schema.Schema.Type<typeof PersistentVolumeClaim> {}
