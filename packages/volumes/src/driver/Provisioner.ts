import {
  annotationSelectedNode,
  compareQuantity,
  finalizerProvisioner,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  storageClassNameOf
} from "@rollcall/api"
import { type ClusterShape, type EventRecorder, type Informer, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { isGrowing, isVolumeOf } from "../expand/expansionPlan.ts"
import { withoutFinalizer } from "../protection/finalizers.ts"
import { newVolume, volumeNameOf } from "./newVolume.ts"
import { driverToProvision, type Serves, volumeDeletion } from "./provisionerPlan.ts"
import { zonesFor } from "./topology.ts"

/** What the provisioner needs. */
export interface ProvisionerParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly claims: Informer<"PersistentVolumeClaim">
  readonly volumes: Informer<"PersistentVolume">
  readonly classes: Informer<"StorageClass">
  readonly nodes: Informer<"Node">
  /** With the index `volume`. */
  readonly attachments: Informer<"VolumeAttachment">
  readonly serves: Serves
}

/**
 * Creates and expands the volumes that claims request, at once and without failure, and deletes released ones once no attachment
 * is left. Upstream: the external-provisioner of a CSI driver.
 */
export class Provisioner {
  private readonly parts: ProvisionerParts

  constructor(parts: ProvisionerParts) {
    this.parts = parts
  }

  readonly syncClaim = Effect.fnUntraced({ self: this }, function* (this: Provisioner, key: string) {
    const { claims, classes, cluster, nodes, recorder, serves } = this.parts
    const claim = claims.get(key)
    if (claim === undefined) return
    if (isGrowing(claim)) return yield* this.resize(claim)
    const storageClass = classes.find(storageClassNameOf(claim))
    const driver = driverToProvision(claim, storageClass, serves)
    if (driver === undefined || storageClass === undefined) return
    const selected = claim.metadata.annotations?.[annotationSelectedNode]
    const selectedNode = selected === undefined ? undefined : nodes.find(selected)
    if (selected !== undefined && selectedNode === undefined) {
      const text = `failed to get target node: node "${selected}" not found`
      recorder.event(claim, "Warning", "ProvisioningFailed", text)
      // Without the annotation, the scheduler selects another node.
      yield* cluster.update("PersistentVolumeClaim", withoutSelectedNode(claim))
      return
    }
    const text = `External provisioner is provisioning volume for claim "${keyOf(claim)}"`
    recorder.event(claim, "Normal", "Provisioning", text)
    const zones = zonesFor({
      storageClass,
      claim: claim.metadata.name ?? "",
      selectedNode,
      nodes: () => nodes.list()
    })
    yield* cluster
      .create("PersistentVolume", newVolume(claim, storageClass, driver, zones))
      .pipe(Effect.catchIf(isAlreadyExists, () => Effect.void))
    recorder.event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${volumeNameOf(claim)}`)
  })

  /** Expands the volume of a claim, which needs nothing of the node. Upstream: external-resizer pkg/controller. */
  private readonly resize = Effect.fnUntraced(
    { self: this },
    function* (this: Provisioner, claim: PersistentVolumeClaim) {
      const { cluster, recorder, serves, volumes } = this.parts
      const volume = volumes.find(claim.spec?.volumeName ?? "")
      if (volume === undefined || !isVolumeOf(volume, claim) || !serves(driverOf(volume))) return
      const { name = "", namespace = "" } = claim.metadata
      const storage = claim.spec?.resources?.requests?.storage ?? "0"
      const text = `External resizer is resizing volume ${volume.metadata.name}`
      recorder.event(claim, "Normal", "Resizing", text)
      if (compareQuantity(storage, volume.spec?.capacity?.storage ?? "0") > 0) {
        const spec = { capacity: { storage } }
        yield* cluster.patch("PersistentVolume", { name: volume.metadata.name ?? "" }, "merge", { spec })
      }
      const status = { capacity: { storage }, allocatedResources: { storage } }
      const subresource = "status"
      yield* cluster.patch("PersistentVolumeClaim", { namespace, name }, "merge", { status }, { subresource })
      recorder.event(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded")
    }
  )

  readonly syncVolume = Effect.fnUntraced({ self: this }, function* (this: Provisioner, name: string) {
    const { attachments, cluster, recorder, serves, volumes } = this.parts
    const volume = volumes.find(name)
    if (volume === undefined) return
    const deletion = volumeDeletion(volume, serves)
    if (deletion === "keep") return
    const [attachment] = attachments.byIndex("volume", name)
    if (attachment !== undefined) {
      const text = `persistentvolume ${name} is still attached to node ${attachment.spec.nodeName}`
      recorder.event(volume, "Warning", "VolumeFailedDelete", text)
      return
    }
    const remaining = deletion === "delete" ? yield* this.remove(name) : volume
    if (remaining?.metadata.finalizers?.includes(finalizerProvisioner) !== true) return
    yield* cluster
      .update("PersistentVolume", withoutFinalizer(remaining, finalizerProvisioner))
      .pipe(Effect.catchIf(isNotFound, () => Effect.void))
  })

  /** Deletes the volume; returns it if it still exists. */
  private remove(name: string) {
    return this.parts.cluster.delete("PersistentVolume", { name }).pipe(
      Effect.map((left) => (left.kind === "PersistentVolume" ? (left as PersistentVolume) : undefined)),
      Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
    )
  }
}

const driverOf = ({ spec }: PersistentVolume): string => {
  const csi = spec?.csi as { readonly driver?: string } | undefined
  return csi?.driver ?? ""
}

const withoutSelectedNode = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
  const { [annotationSelectedNode]: _, ...annotations } = claim.metadata.annotations ?? {}
  return { ...claim, metadata: { ...claim.metadata, annotations } }
}
