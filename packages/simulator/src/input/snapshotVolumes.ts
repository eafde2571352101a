import {
  annotationBindCompleted,
  annotationStorageProvisioner,
  keyOf,
  labelZone,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  storageClassNameOf
} from "@rollcall/api"
import { claimsOfPod, modelledDriver, newVolume, standardClass } from "@rollcall/volumes"
import type { LoadedObject } from "./objects.ts"

type Listed = Pick<LoadedObject, "kind" | "object">

/** What a snapshot does not show of the volumes that its pods have. */
export interface Unshown<A> {
  readonly objects: ReadonlyArray<A>
  readonly warnings: ReadonlyArray<string>
}

/** Can be used from several nodes at once: no disk, but something that is reached over the network. */
const isShared = ({ spec }: PersistentVolumeClaim): boolean =>
  spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true

/** The zones that each claim is used in. */
const zonesByClaim = (snapshot: ReadonlyArray<Listed>): ReadonlyMap<string, ReadonlySet<string>> => {
  const zoneOfNode = new Map<string, string>()
  for (const { kind, object } of snapshot) {
    const zone = kind === "Node" ? (object as Node).metadata.labels?.[labelZone] : undefined
    if (zone !== undefined) zoneOfNode.set(object.metadata.name ?? "", zone)
  }
  const found = new Map<string, Set<string>>()
  for (const { kind, object } of snapshot) {
    if (kind !== "Pod") continue
    const { spec } = object as Pod
    if (!spec.nodeName) continue
    const zone = zoneOfNode.get(spec.nodeName)
    for (const claim of claimsOfPod(object as Pod)) {
      const zones = found.get(claim) ?? new Set<string>()
      found.set(claim, zones)
      if (zone !== undefined) zones.add(zone)
    }
  }
  return found
}

const shownOf = (snapshot: ReadonlyArray<Listed>, kind: LoadedObject["kind"]) =>
  snapshot.filter((loaded) => loaded.kind === kind)

/** A claim that a pod uses and that the snapshot does not show: it must have been bound. */
const claimNamed = (key: string): PersistentVolumeClaim => {
  const [namespace = "", name = ""] = key.split("/")
  const uid = `${namespace}-${name}`
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace, uid, annotations: { [annotationBindCompleted]: "yes" } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: standardClass.metadata.name ?? "",
      volumeMode: "Filesystem",
      volumeName: `pvc-${uid}`
    },
    status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } }
  }
}

/**
 * The claims that a snapshot's pods use, and the volumes of claims that are bound, where it does not show them: claims would be Lost
 * without, or pods without data. Each volume is taken to be in the zone where it is used.
 */
export const unshownVolumes = <A extends Listed>(snapshot: ReadonlyArray<A>): Unshown<A> => {
  const [first] = snapshot
  if (first === undefined) return { objects: [], warnings: [] }
  const loaded = (kind: LoadedObject["kind"], object: LoadedObject["object"]) => ({ ...first, kind, object })
  const zones = zonesByClaim(snapshot)
  const claims = shownOf(snapshot, "PersistentVolumeClaim").map(({ object }) => object as PersistentVolumeClaim)
  const shownClaims = new Set(claims.map(keyOf))
  const shownVolumes = new Set(shownOf(snapshot, "PersistentVolume").map(({ object }) => object.metadata.name))
  const missing = [...zones.keys()].filter((key) => !shownClaims.has(key)).map(claimNamed)
  const bound = [...claims, ...missing].filter(({ spec }) => spec?.volumeName && !shownVolumes.has(spec.volumeName))
  const volumes = bound.map((claim) => {
    const used = zones.get(keyOf(claim)) ?? new Set<string>()
    const driver = claim.metadata.annotations?.[annotationStorageProvisioner] ?? modelledDriver
    const ofClass: StorageClass = { ...standardClass, metadata: { name: storageClassNameOf(claim) } }
    const volume = newVolume(claim, ofClass, driver, used.size > 1 || isShared(claim) ? [] : [...used])
    return {
      ...volume,
      metadata: { ...volume.metadata, name: claim.spec?.volumeName ?? "" },
      status: { phase: "Bound" }
    }
  })
  return {
    objects: [
      ...missing.map((claim) => loaded("PersistentVolumeClaim", claim)),
      ...volumes.map((volume) => loaded("PersistentVolume", volume))
    ],
    warnings:
      volumes.length === 0
        ? []
        : [
            `the volumes of ${volumes.length === 1 ? "1 claim" : `${volumes.length} claims`} are not in the snapshot, and taken to be in the zones of the pods that use them; rollcall snapshot, or kubectl get pvc,pv,sc, would show them`
          ]
  }
}
