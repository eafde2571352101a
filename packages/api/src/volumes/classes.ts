import type { KubeObject } from "../objects/Meta.ts"
import type { StorageClass } from "../objects/StorageClass.ts"
import { annotationBetaDefaultClass, annotationBetaStorageClass, annotationDefaultClass } from "./names.ts"

/** A claim or a volume. */
interface OfClass extends Pick<KubeObject, "metadata"> {
  readonly spec?: { readonly storageClassName?: string | undefined } | undefined
}

/** The name of a claim's or a volume's class; "" where it has none. */
export const storageClassNameOf = ({ metadata, spec }: OfClass): string =>
  metadata.annotations?.[annotationBetaStorageClass] ?? spec?.storageClassName ?? ""

/** Whether somebody has said of which class the claim shall be; "" says of none. */
export const saysStorageClass = ({ metadata, spec }: OfClass): boolean =>
  metadata.annotations?.[annotationBetaStorageClass] !== undefined || spec?.storageClassName !== undefined

export const isDefaultStorageClass = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.annotations?.[annotationDefaultClass] === "true" ||
  metadata.annotations?.[annotationBetaDefaultClass] === "true"

/** The class of claims that say none: of several the newest, of equally new ones the first by name. Upstream: pkg/volume/util GetDefaultClass. */
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

/** Whether claims of the class are bound only where their pod goes. */
export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer"
