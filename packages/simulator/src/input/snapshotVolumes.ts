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

/** The claims and volumes that a snapshot lacks and its pods use, and warnings about the assumptions. */
export interface AssumedVolumes<A> {
  readonly objects: ReadonlyArray<A>
  readonly warnings: ReadonlyArray<string>
}

/** Returns whether a claim can be used from several nodes at once: its volume is reached over the network, from every zone. */
const isShared = ({ spec }: PersistentVolumeClaim): boolean =>
  spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true

/** Returns the zones of the pods that use each claim, by `namespace/name`. */
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

const objectsOfKind = (snapshot: ReadonlyArray<Listed>, kind: LoadedObject["kind"]) =>
  snapshot.filter((loaded) => loaded.kind === kind)

/** Returns the claim to assume for a key `namespace/name`. It is bound, because a pod with a node uses it. */
const assumedClaim = (key: string): PersistentVolumeClaim => {
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
 * Returns the claims that a snapshot's pods use and the volumes of its bound claims, as far as the snapshot lacks them. Without them the
 * claims would become Lost and the pods could not start. Each volume is assumed to be in the zone where its claim is used.
 */
export const assumedVolumes = <A extends Listed>(snapshot: ReadonlyArray<A>): AssumedVolumes<A> => {
  const [first] = snapshot
  if (first === undefined) return { objects: [], warnings: [] }
  const loaded = (kind: LoadedObject["kind"], object: LoadedObject["object"]) => ({ ...first, kind, object })
  const zones = zonesByClaim(snapshot)
  const claims = objectsOfKind(snapshot, "PersistentVolumeClaim").map(({ object }) => object as PersistentVolumeClaim)
  const listedClaims = new Set(claims.map(keyOf))
  const listedVolumes = new Set(objectsOfKind(snapshot, "PersistentVolume").map(({ object }) => object.metadata.name))
  const missing = [...zones.keys()].filter((key) => !listedClaims.has(key)).map(assumedClaim)
  const bound = [...claims, ...missing].filter(({ spec }) => spec?.volumeName && !listedVolumes.has(spec.volumeName))
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
