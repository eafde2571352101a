import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { PersistentVolume, VolumeAttachment } from "@rollcall/api"

/** A volume that a CSI driver attaches to nodes. */
export interface AttachableVolume {
  /** The name of the PersistentVolume. */
  readonly name: string
  readonly driver: string
  readonly handle: string
  /** Its name in a node's volumesAttached and volumesInUse. Upstream: pkg/volume/util GetUniqueVolumeName. */
  readonly uniqueName: string
  /** Whether it may be attached to several nodes at once. */
  readonly shared: boolean
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The attachable volume of a PersistentVolume; undefined unless it is a CSI volume. */
export const attachableOf = ({ metadata, spec }: PersistentVolume): AttachableVolume | undefined => {
  const csi = spec?.csi as { readonly driver?: unknown; readonly volumeHandle?: unknown } | undefined
  const [driver, handle] = [textOf(csi?.driver), textOf(csi?.volumeHandle)]
  if (driver === "" || handle === "") return undefined
  const shared = spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true
  return { name: metadata.name ?? "", driver, handle, uniqueName: `kubernetes.io/csi/${driver}^${handle}`, shared }
}

/**
 * The name of a VolumeAttachment, by which kubelets find it. Upstream: pkg/volume/csi/csi_attacher.go
 * getAttachmentName.
 */
export const attachmentName = ({ driver, handle }: AttachableVolume, node: string): string =>
  `csi-${bytesToHex(sha256(utf8ToBytes(`${handle}${driver}${node}`)))}`

const ownName = /^csi-[0-9a-f]{64}$/

/**
 * Whether an attachment is one of the attach-detach controller's, by its name. Upstream detaches what it attached or
 * found at its start, by that name, and never touches the attachments of others.
 */
export const isOwnAttachment = ({ metadata }: VolumeAttachment): boolean => ownName.test(metadata.name ?? "")
