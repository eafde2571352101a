import { keyOf, labelZone, type Node, type PersistentVolumeClaim, type Pod, type StorageClass } from "@rollcall/api"
import {
  annotationStorageProvisioner,
  claimsOfPod,
  classNameOf,
  modelledDriver,
  newVolume,
  standardClass
} from "@rollcall/volumes"
import type { LoadedObject } from "./objects.ts"

/** Can be used from several nodes at once: no disk, but something that is reached over the network. */
const isShared = ({ spec }: PersistentVolumeClaim): boolean =>
  spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true

/**
 * The volumes of claims that a snapshot shows as bound, where it does not show them: claims would be Lost without. Each is taken to
 * be in the zone that its pod runs in.
 */
export const unshownVolumes = (snapshot: ReadonlyArray<LoadedObject>): ReadonlyArray<LoadedObject> => {
  const ofKind = (kind: LoadedObject["kind"]) => snapshot.filter((loaded) => loaded.kind === kind)
  const shown = new Set(ofKind("PersistentVolume").map(({ object }) => object.metadata.name))
  const unshown = ofKind("PersistentVolumeClaim").filter(({ object }) => {
    const name = (object as PersistentVolumeClaim).spec?.volumeName ?? ""
    return name !== "" && !shown.has(name)
  })
  if (unshown.length === 0) return []
  const zones = new Map(
    ofKind("Node").map(({ object }) => [object.metadata.name, (object as Node).metadata.labels?.[labelZone]])
  )
  const zoneOfClaim = new Map<string, string>()
  for (const { object } of ofKind("Pod")) {
    const pod = object as Pod
    const zone = zones.get(pod.spec.nodeName ?? "")
    if (zone !== undefined) for (const claim of claimsOfPod(pod)) zoneOfClaim.set(claim, zone)
  }
  return unshown.map(({ file, object, path }) => {
    const claim = object as PersistentVolumeClaim
    const zone = isShared(claim) ? undefined : zoneOfClaim.get(keyOf(claim))
    const driver = claim.metadata.annotations?.[annotationStorageProvisioner] ?? modelledDriver
    const ofClass: StorageClass = { ...standardClass, metadata: { name: classNameOf(claim) } }
    const volume = newVolume(claim, ofClass, driver, zone === undefined ? [] : [zone])
    const name = claim.spec?.volumeName ?? ""
    return {
      file,
      path,
      kind: "PersistentVolume",
      object: { ...volume, metadata: { ...volume.metadata, name }, status: { phase: "Bound" } }
    }
  })
}
