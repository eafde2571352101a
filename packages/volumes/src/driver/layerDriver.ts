import { keyOf, type PersistentVolume, type PersistentVolumeClaim, type VolumeAttachment } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, isNotFound, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Provisioner } from "./Provisioner.ts"
import type { Serves } from "./provisionerPlan.ts"

/** The name of the driver that is modelled. */
export const modelledDriver = "csi.rollcall.dev"

/** As the external-provisioner's `--worker-threads`, less would do. */
const WORKERS = 10

export interface DriverOptions {
  /** Which drivers it stands for; by default for `csi.rollcall.dev` alone. */
  readonly serves?: Serves
}

const own: Serves = (driver) => driver === modelledDriver

/** What a CSI driver does in a cluster beside its nodes: makes volumes, attaches them, deletes them, all at once and without fail. */
export const layerModelledDriver = ({
  serves = own
}: DriverOptions = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.mergeAll(layerProvisioner(serves), layerAttacher(serves))

const layerProvisioner = (serves: Serves): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* Timers
      const recorder = yield* EventRecorder.make({ component: modelledDriver })
      const claimQueue = yield* WorkQueue.make<string>()
      const volumeQueue = yield* WorkQueue.make<string>()
      const seeClaim = (claim: PersistentVolumeClaim) => !claim.spec?.volumeName && claimQueue.add(keyOf(claim))
      const seeVolume = ({ metadata: { name = "" }, status }: PersistentVolume) =>
        status?.phase !== "Bound" && volumeQueue.add(name)
      const claims = yield* Informer.make("PersistentVolumeClaim", {
        handlers: [{ onAdd: seeClaim, onUpdate: (_, claim) => seeClaim(claim) }]
      })
      const volumes = yield* Informer.make("PersistentVolume", {
        handlers: [{ onAdd: seeVolume, onUpdate: (_, volume) => seeVolume(volume) }]
      })
      const volumeOf = ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName ?? ""
      const attachments = yield* Informer.make("VolumeAttachment", {
        indexes: { volume: volumeOf },
        handlers: [{ onDelete: (attachment) => volumeQueue.add(volumeOf(attachment)) }]
      })
      const classes = yield* Informer.make("StorageClass", {
        handlers: [{ onAdd: () => claims.list().forEach(seeClaim) }]
      })
      const nodes = yield* Informer.make("Node")
      const provisioner = new Provisioner({
        cluster,
        recorder,
        claims,
        volumes,
        classes,
        nodes,
        attachments,
        serves
      })
      const work = [
        runWorkers(claimQueue, WORKERS, (key) => provisioner.syncClaim(key)),
        runWorkers(volumeQueue, WORKERS, (name) => provisioner.syncVolume(name))
      ]
      yield* Effect.all([claims.synced, volumes.synced, attachments.synced, classes.synced, nodes.synced], {
        concurrency: "unbounded",
        discard: true
      }).pipe(
        Effect.andThen(Effect.all(work, { concurrency: "unbounded", discard: true })),
        forkController("csi-provisioner")
      )
    })
  )

const layerAttacher = (serves: Serves): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* Timers
      const queue = yield* WorkQueue.make<string>()
      const see = ({ metadata: { deletionTimestamp, name = "" }, spec, status }: VolumeAttachment) => {
        if (deletionTimestamp === undefined && status?.attached !== true && serves(spec.attacher)) queue.add(name)
      }
      const attachments = yield* Informer.make("VolumeAttachment", {
        handlers: [{ onAdd: see, onUpdate: (_, attachment) => see(attachment) }]
      })
      const attach = Effect.fnUntraced(function* (name: string) {
        const attachment = attachments.find(name)
        if (attachment === undefined || attachment.status?.attached === true) return
        yield* cluster
          .updateStatus("VolumeAttachment", { ...attachment, status: { attached: true } })
          .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      })
      yield* attachments.synced.pipe(Effect.andThen(runWorkers(queue, WORKERS, attach)), forkController("csi-attacher"))
    })
  )
