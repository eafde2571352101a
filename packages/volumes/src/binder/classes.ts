import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@rollcall/api"
import { annotationBetaStorageClass, annotationDefaultClass } from "../wireNames.ts"

/** The name of a claim's or a volume's class; "" where it has none. */
export const classNameOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[annotationBetaStorageClass] ?? spec?.storageClassName ?? ""

/** Whether somebody has said of which class the claim shall be; "" says of none. */
export const saysClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[annotationBetaStorageClass] !== undefined || spec?.storageClassName !== undefined

const BETA_DEFAULT = "storageclass.beta.kubernetes.io/is-default-class"

export const isDefaultClass = ({ metadata }: StorageClass): boolean =>
  metadata.annotations?.[annotationDefaultClass] === "true" || metadata.annotations?.[BETA_DEFAULT] === "true"

/** The class of claims that say none: of several the newest, of equally new ones the first by name. Upstream: pkg/volume/util GetDefaultClass. */
export const defaultClassOf = (classes: ReadonlyArray<StorageClass>): StorageClass | undefined => {
  let found: StorageClass | undefined
  for (const candidate of classes) {
    if (isDefaultClass(candidate) && (found === undefined || precedes(candidate, found))) found = candidate
  }
  return found
}

const precedes = ({ metadata: a }: StorageClass, { metadata: b }: StorageClass): boolean => {
  const [newer, older] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""]
  return newer === older ? (a.name ?? "") < (b.name ?? "") : newer > older
}

/** Whether claims of the class are bound only where their pod goes. */
export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer"
