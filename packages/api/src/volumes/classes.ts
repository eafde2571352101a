import type { KubeObject } from "../objects/Meta.ts"
import type { StorageClass } from "../objects/StorageClass.ts"
import { annotationBetaDefaultClass, annotationBetaStorageClass, annotationDefaultClass } from "./names.ts"

/** A claim or a volume. */
interface WithStorageClass extends Pick<KubeObject, "metadata"> {
  readonly spec?: { readonly storageClassName?: string | undefined } | undefined
}

/** Returns the name of a claim's or a volume's class; "" if it has none. */
export const storageClassNameOf = ({ metadata, spec }: WithStorageClass): string =>
  metadata.annotations?.[annotationBetaStorageClass] ?? spec?.storageClassName ?? ""

/** Whether the claim sets a storage class. The empty name is a setting, too: it asks for no class. */
export const hasStorageClassSet = ({ metadata, spec }: WithStorageClass): boolean =>
  metadata.annotations?.[annotationBetaStorageClass] !== undefined || spec?.storageClassName !== undefined

/** Whether a class is annotated as the default one. */
export const isDefaultStorageClass = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.annotations?.[annotationDefaultClass] === "true" ||
  metadata.annotations?.[annotationBetaDefaultClass] === "true"

/**
 * Returns the class for claims that set none: the newest default class, and among equally new ones the first by name.
 * Upstream: pkg/volume/util GetDefaultClass.
 */
export const defaultStorageClassOf = (classes: ReadonlyArray<StorageClass>): StorageClass | undefined => {
  let found: StorageClass | undefined
  for (const candidate of classes) {
    if (isDefaultStorageClass(candidate) && (found === undefined || precedes(candidate, found))) found = candidate
  }
  return found
}

const precedes = ({ metadata: a }: StorageClass, { metadata: b }: StorageClass): boolean => {
  const [newer, older] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""]
  return newer === older ? (a.name ?? "") < (b.name ?? "") : newer > older
}

/** Whether claims of the class are bound only when their pod is scheduled. */
export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer"
