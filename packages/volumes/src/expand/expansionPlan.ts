import { compareQuantity, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { successorOf } from "../binder/provisioners.ts"

/** Set on a claim: the driver that is to expand its volume. Upstream: pkg/volume/util/types, VolumeResizerKey. */
export const annotationResizer = "volume.kubernetes.io/storage-resizer"

const requestedBy = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.storage ?? 0
const heldBy = ({ status }: PersistentVolumeClaim) => status?.capacity?.storage ?? 0

/** Whether a bound claim requests more than it holds. */
export const isGrowing = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === "Bound" && compareQuantity(requestedBy(claim), heldBy(claim)) > 0

/** Whether a change of a claim may start or end an expansion. */
export const hasGrown = (claim: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean =>
  compareQuantity(requestedBy(claim), requestedBy(before)) > 0 || compareQuantity(heldBy(claim), heldBy(before)) > 0

/** Whether the volume is the claim's. */
export const isVolumeOf = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean =>
  spec?.claimRef?.namespace === metadata.namespace && spec?.claimRef?.uid === metadata.uid

/** The plugin of each volume source that a CSI driver has replaced. Upstream: csi-translation-lib. */
const pluginBySource = {
  awsElasticBlockStore: "kubernetes.io/aws-ebs",
  gcePersistentDisk: "kubernetes.io/gce-pd",
  azureDisk: "kubernetes.io/azure-disk",
  azureFile: "kubernetes.io/azure-file",
  cinder: "kubernetes.io/cinder",
  vsphereVolume: "kubernetes.io/vsphere-volume",
  portworxVolume: "kubernetes.io/portworx-volume"
}

/** Who is to expand a volume: the driver that replaced its plugin, or a controller that this one does not know. */
export interface Expansion {
  readonly message: string
  /** The driver that the claim is to name. */
  readonly resizer: string | undefined
}

/** Returns who is to expand the volume of a growing claim. Upstream: pkg/controller/volume/expand syncHandler. */
export const expansionOf = ({ spec = {} }: PersistentVolume): Expansion => {
  const found = Object.entries(pluginBySource).find(([source]) => Object.hasOwn(spec, source))
  const resizer = found && successorOf(found[1])
  return found === undefined || resizer === undefined
    ? { message: "waiting for an external controller to expand this PVC", resizer: undefined }
    : {
        message: `CSI migration enabled for ${found[1]}; waiting for external resizer to expand the pvc`,
        resizer
      }
}
