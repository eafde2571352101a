import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { PersistentVolume } from "@rollcall/api"

/** A volume that a CSI driver attaches to nodes. */
export interface AttachableVolume {
  /** Of the PersistentVolume. */
  readonly name: string
  readonly driver: string
  readonly handle: string
  /** How nodes call it in volumesAttached and volumesInUse. Upstream: pkg/volume/util GetUniqueVolumeName. */
  readonly uniqueName: string
  /** It may be attached to several nodes at once. */
  readonly shared: boolean
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** What there is to attach of a PersistentVolume; undefined of one that no CSI driver brings. */
export const attachableOf = ({ metadata, spec }: PersistentVolume): AttachableVolume | undefined => {
  const csi = spec?.csi as { readonly driver?: unknown; readonly volumeHandle?: unknown } | undefined
  const [driver, handle] = [textOf(csi?.driver), textOf(csi?.volumeHandle)]
  if (driver === "" || handle === "") return undefined
  const shared = spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true
  return { name: metadata.name ?? "", driver, handle, uniqueName: `kubernetes.io/csi/${driver}^${handle}`, shared }
}

/** The name of a VolumeAttachment, by which kubelets find it. Upstream: pkg/volume/csi/csi_attacher.go getAttachmentName. */
export const attachmentName = ({ driver, handle }: AttachableVolume, node: string): string =>
  `csi-${bytesToHex(sha256(utf8ToBytes(`${handle}${driver}${node}`)))}`
