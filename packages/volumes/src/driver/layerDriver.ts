import { keyOf, type PersistentVolume, type PersistentVolumeClaim, type VolumeAttachment } from "@rollcall/api"
import { type Cluster, Controller, isNotFound } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isGrowing } from "../expand/expansionPlan.ts"
import { Provisioner } from "./Provisioner.ts"
import type { Serves } from "./provisionerPlan.ts"

/** The name of the modelled driver. */
export const modelledDriver = "csi.rollcall.dev"

/** As the external-provisioner's `--worker-threads`, although fewer would do. */
const WORKERS = 10

export interface DriverOptions {
  /** The drivers that it replaces; by default only `csi.rollcall.dev`. */
  readonly serves?: Serves
}

const own: Serves = (driver) => driver === modelledDriver

/** The cluster-wide part of a CSI driver: creates, expands, attaches and deletes volumes, all at once and without failure. */
export const layerModelledDriver = ({
  serves = own
}: DriverOptions = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.mergeAll(layerProvisioner(serves), layerAttacher(serves))

const isUnbound = (claim: PersistentVolumeClaim): boolean => !claim.spec?.volumeName

const volumeOf = ({ spec }: VolumeAttachment): string => spec.source.persistentVolumeName ?? ""

const layerProvisioner = (serves: Serves) =>
  Controller.make({
    name: "csi-provisioner",
    queue: "",
    records: modelledDriver,
    for: "PersistentVolumeClaim",
    when: (claim, { isDeleted }) => !isDeleted && (isUnbound(claim) || isGrowing(claim)),
    watches: {
      PersistentVolume: {},
      VolumeAttachment: { indexes: { volume: volumeOf } },
      StorageClass: {
        concerns: (_, { before, cache, isDeleted }) =>
          isDeleted || before !== undefined ? [] : cache("PersistentVolumeClaim").list().filter(isUnbound).map(keyOf)
      },
      Node: {}
    },
    workers: WORKERS,
    reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, recorder }) {
      const volumes = cache("PersistentVolume")
      const attachments = cache("VolumeAttachment")
      const provisioner = new Provisioner({
        cluster,
        recorder,
        claims: cache("PersistentVolumeClaim"),
        volumes,
        classes: cache("StorageClass"),
        nodes: cache("Node"),
        attachments,
        serves
      })
      const volumeQueue = yield* addQueue("", WORKERS, (name) => provisioner.syncVolume(name))
      const seeVolume = ({ metadata: { name = "" }, status }: PersistentVolume) =>
        status?.phase !== "Bound" && volumeQueue.add(name)
      volumes.addHandler({ onAdd: seeVolume, onUpdate: (_, volume) => seeVolume(volume) })
      attachments.addHandler({ onDelete: (attachment) => volumeQueue.add(volumeOf(attachment)) })
      return (key: string) => provisioner.syncClaim(key)
    })
  })

const layerAttacher = (serves: Serves) =>
  Controller.make({
    name: "csi-attacher",
    queue: "",
    for: "VolumeAttachment",
    when: ({ metadata, spec, status }, { isDeleted }) =>
      !isDeleted && metadata.deletionTimestamp === undefined && status?.attached !== true && serves(spec.attacher),
    workers: WORKERS,
    reconcile: ({ cache, cluster }) =>
      Effect.fnUntraced(function* (name) {
        const attachment = cache("VolumeAttachment").find(name)
        if (attachment === undefined || attachment.status?.attached === true) return
        // Upstream: external-attacher/pkg/controller/csi_handler.go csiAttach.
        const { persistentVolumeName } = attachment.spec.source
        if (persistentVolumeName !== undefined) yield* cluster.get("PersistentVolume", { name: persistentVolumeName })
        yield* cluster
          .updateStatus("VolumeAttachment", { ...attachment, status: { attached: true } })
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      })
  })
