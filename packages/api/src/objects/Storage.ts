import * as Schema from "effect/Schema"
import { list, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { PersistentVolumeSpec } from "./PersistentVolume.ts"
import { Time } from "./Scalars.ts"

const VolumeError = Schema.Struct({ time: opt(Time), message: opt(Schema.String), errorCode: opt(Schema.Int) })

export const VolumeAttachmentSpec = Schema.Struct({
  attacher: Schema.String,
  source: Schema.Struct({ persistentVolumeName: opt(Schema.String), inlineVolumeSpec: opt(PersistentVolumeSpec) }),
  nodeName: Schema.String
})
export interface VolumeAttachmentSpec extends Schema.Schema.Type<typeof VolumeAttachmentSpec> {}

export const VolumeAttachmentStatus = Schema.Struct({
  attached: Schema.Boolean,
  attachmentMetadata: opt(StringMap),
  attachError: opt(VolumeError),
  detachError: opt(VolumeError)
})
export interface VolumeAttachmentStatus extends Schema.Schema.Type<typeof VolumeAttachmentStatus> {}

/** A request to attach a volume to a node, and its result. Cluster-scoped. */
export const VolumeAttachment = Schema.Struct({
  ...typed("storage.k8s.io/v1", "VolumeAttachment"),
  spec: VolumeAttachmentSpec,
  status: opt(VolumeAttachmentStatus)
})
export interface VolumeAttachment extends Schema.Schema.Type<typeof VolumeAttachment> {}

/** A driver, its name for the node, and the maximum number of its volumes. */
export const CSINodeDriver = Schema.Struct({
  name: Schema.String,
  nodeID: Schema.String,
  topologyKeys: opt(list(Schema.String)),
  allocatable: opt(Schema.Struct({ count: opt(Schema.Int) }))
})
export interface CSINodeDriver extends Schema.Schema.Type<typeof CSINodeDriver> {}

/** The CSI drivers of a node. Cluster-scoped. */
export const CSINode = Schema.Struct({
  ...typed("storage.k8s.io/v1", "CSINode"),
  /** Drivers are absent when there are none and the server does not write empty lists. */
  spec: Schema.Struct({ drivers: opt(list(CSINodeDriver)) })
})
export interface CSINode extends Schema.Schema.Type<typeof CSINode> {}
