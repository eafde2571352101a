import {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  storageClassNameOf,
  type VolumeAttachment
} from "@rollcall/api"
import { AssumedVolumes } from "../volumes/AssumedVolumes.ts"
import { ClassVolumes } from "../volumes/ClassVolumes.ts"
import { podVolumesOf } from "./PodVolumes.ts"

const noAttachments: ReadonlyMap<string, VolumeAttachment> = new Map()
const noVolumes: ReadonlyMap<string, PersistentVolume> = new Map()

/** `namespace/name` of the claim that a volume references; undefined if it references none. */
const claimRefKey = ({ spec }: PersistentVolume): string | undefined =>
  spec?.claimRef === undefined ? undefined : `${spec.claimRef.namespace}/${spec.claimRef.name}`

/** Sets the value of a key; undefined deletes the key. */
const setOrDelete = <A>(map: Map<string, A>, key: string, value: A | undefined): void => {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

/** Claims, volumes and attachments, as far as they restrict the nodes of pods. Setting undefined removes an object. */
export class Volumes {
  private readonly claims = new Map<string, PersistentVolumeClaim>()
  private readonly volumes = new Map<string, PersistentVolume>()
  private readonly byClass = new Map<string, ClassVolumes>()
  /** Volumes that reference a claim, by the claim and their own name. */
  private readonly byClaim = new Map<string, Map<string, PersistentVolume>>()
  private readonly classes = new Map<string, StorageClass>()
  private readonly drivers = new Map<string, CSIDriver>()
  private readonly capacities = new Map<string, CSIStorageCapacity>()
  private readonly csiNodes = new Map<string, CSINode>()
  /** By node, then by name. */
  private readonly attachments = new Map<string, Map<string, VolumeAttachment>>()
  /** Claim → number of pods on nodes that reference it. */
  private readonly uses = new Map<string, number>()

  /** Bindings that were assumed for pods and that the cached objects do not show yet. */
  readonly assumed = new AssumedVolumes()

  /**
   * Whether there is neither a claim nor a storage class. Volumes are then taken to be unknown (a scheduler without
   * informers for them, for example), so that plugins skip their checks instead of rejecting each pod with a claim.
   */
  get isEmpty(): boolean {
    return this.claims.size === 0 && this.classes.size === 0
  }

  setClaim(namespace: string, name: string, claim: PersistentVolumeClaim | undefined): void {
    setOrDelete(this.claims, `${namespace}/${name}`, claim)
  }

  setVolume(name: string, volume: PersistentVolume | undefined): void {
    const before = this.volumes.get(name)
    setOrDelete(this.volumes, name, volume)
    if (before !== undefined) {
      this.byClass.get(storageClassNameOf(before))?.remove(before)
      const claim = claimRefKey(before) ?? ""
      const sameClaim = this.byClaim.get(claim)
      if (sameClaim?.delete(name) === true && sameClaim.size === 0) this.byClaim.delete(claim)
    }
    if (volume === undefined) return
    const classVolumes = this.byClass.get(storageClassNameOf(volume)) ?? new ClassVolumes()
    this.byClass.set(storageClassNameOf(volume), classVolumes)
    classVolumes.add(volume)
    const claim = claimRefKey(volume)
    if (claim === undefined) return
    const sameClaim = this.byClaim.get(claim) ?? new Map<string, PersistentVolume>()
    this.byClaim.set(claim, sameClaim.set(name, volume))
  }

  setDriver(name: string, driver: CSIDriver | undefined): void {
    setOrDelete(this.drivers, name, driver)
  }

  setCapacity({ metadata }: CSIStorageCapacity, capacity: CSIStorageCapacity | undefined): void {
    setOrDelete(this.capacities, `${metadata.namespace}/${metadata.name}`, capacity)
  }

  setStorageClass(name: string, storageClass: StorageClass | undefined): void {
    setOrDelete(this.classes, name, storageClass)
  }

  setCSINode(name: string, csiNode: CSINode | undefined): void {
    setOrDelete(this.csiNodes, name, csiNode)
  }

  setAttachment({ metadata, spec }: VolumeAttachment, attachment: VolumeAttachment | undefined): void {
    const onNode = this.attachments.get(spec.nodeName) ?? new Map<string, VolumeAttachment>()
    setOrDelete(onNode, metadata.name ?? "", attachment)
    setOrDelete(this.attachments, spec.nodeName, onNode.size === 0 ? undefined : onNode)
  }

  /** Counts, for each of these claims, one pod more or less on a node that references it. */
  countUses(namespace: string, claims: ReadonlyArray<string>, change: 1 | -1): void {
    for (const name of claims) {
      const key = `${namespace}/${name}`
      const count = (this.uses.get(key) ?? 0) + change
      setOrDelete(this.uses, key, count === 0 ? undefined : count)
    }
  }

  /** Whether a pod on a node references the claim. */
  isUsed(namespace: string, name: string): boolean {
    return this.uses.has(`${namespace}/${name}`)
  }

  volume(name: string): PersistentVolume | undefined {
    return this.volumes.get(name)
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.claims.get(`${namespace}/${name}`)
  }

  storageClass(name: string): StorageClass | undefined {
    return this.classes.get(name)
  }

  /** The volumes of a storage class. */
  ofClass(name: string): ClassVolumes | undefined {
    return this.byClass.get(name)
  }

  /** The volumes that reference the claim, or an earlier one with its name. */
  preBoundTo({ metadata }: PersistentVolumeClaim): Iterable<PersistentVolume> {
    return (this.byClaim.get(`${metadata.namespace}/${metadata.name}`) ?? noVolumes).values()
  }

  driver(name: string): CSIDriver | undefined {
    return this.drivers.get(name)
  }

  storageCapacities(): Iterable<CSIStorageCapacity> {
    return this.capacities.values()
  }

  csiNode(name: string): CSINode | undefined {
    return this.csiNodes.get(name)
  }

  attachmentsOn(node: string): Iterable<VolumeAttachment> {
    return (this.attachments.get(node) ?? noAttachments).values()
  }
}

/** The names of the claims of a pod's volumes; those of generic ephemeral volumes are derived from the pod's name. */
export const claimNamesOf = (pod: Pod): ReadonlyArray<string> => {
  const { claims = [], ephemeralClaims = [] } = podVolumesOf(pod) ?? {}
  return [...claims, ...ephemeralClaims]
}
