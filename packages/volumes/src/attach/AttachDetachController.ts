import type { Node, PersistentVolume, VolumeAttachment } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { CurrentVolumeObserver } from "../Observer.ts"
import { AttachDetach, nodesUsing, pairKey, volumeOfAttachment } from "./AttachDetach.ts"
import { type DetachSettings, defaultDetachSettings } from "./ForceDetach.ts"
import { VolumeUse } from "./VolumeUse.ts"
import { isOwnAttachment } from "./volumeNames.ts"

const WORKERS = 10

/** Whether anything that a detach decision depends on has changed. */
const affectsDetach = (before: Node, node: Node): boolean =>
  before.status?.volumesInUse !== node.status?.volumesInUse ||
  before.status?.conditions !== node.status?.conditions ||
  before.spec?.taints !== node.spec?.taints

/** An index of the attachments that the controller made. */
const own =
  (keyOf: (attachment: VolumeAttachment) => string) =>
  (attachment: VolumeAttachment): string | undefined =>
    isOwnAttachment(attachment) ? keyOf(attachment) : undefined

/**
 * Attaches CSI volumes to the nodes whose pods need them, and detaches them, while the layer lives, through the
 * Cluster in context. It creates and deletes VolumeAttachments; the CSI driver's attacher carries them out.
 * Upstream: pkg/controller/volume/attachdetach/attach_detach_controller.go.
 */
export const layerAttachDetach = (settings: Partial<DetachSettings> = {}) =>
  Controller.make({
    name: "persistentvolume-attach-detach-controller",
    queue: "",
    records: "attachdetach-controller",
    for: "Pod",
    // The queue holds pairs of a node and a volume, not VolumeAttachments.
    when: () => false,
    watches: {
      PersistentVolumeClaim: {},
      PersistentVolume: {},
      Node: {},
      VolumeAttachment: {
        indexes: {
          node: own(({ spec }) => spec.nodeName),
          volume: own(volumeOfAttachment),
          pair: own((attachment) => pairKey(attachment.spec.nodeName, volumeOfAttachment(attachment)))
        }
      }
    },
    workers: WORKERS,
    reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder, timers }) {
      const pods = cache("Pod")
      const claims = cache("PersistentVolumeClaim")
      const volumes = cache("PersistentVolume")
      const nodes = cache("Node")
      const attachments = cache("VolumeAttachment")
      const use = new VolumeUse(claims)
      const controller = new AttachDetach({
        cluster,
        timers,
        recorder,
        nodes,
        volumes,
        attachments,
        use,
        queue,
        settings: { ...defaultDetachSettings, ...settings },
        observer: yield* CurrentVolumeObserver
      })
      const enqueueAttachment = (attachment: VolumeAttachment) =>
        controller.enqueue(attachment.spec.nodeName, volumeOfAttachment(attachment))
      const enqueueNode = ({ metadata: { name = "" } }: Node) => {
        for (const attachment of attachments.byIndex("node", name)) enqueueAttachment(attachment)
      }
      const enqueueVolume = (volume: PersistentVolume) => {
        for (const node of nodesUsing(use, volume)) controller.enqueue(node, volume.metadata.name ?? "")
      }
      attachments.addHandler({
        onAdd: enqueueAttachment,
        onUpdate: (_, attachment) => enqueueAttachment(attachment),
        onDelete: (attachment) => isOwnAttachment(attachment) && controller.attachmentDeleted(attachment)
      })
      pods.addHandler({
        onAdd: (pod) => controller.podChanged(pod),
        onUpdate: (_, pod) => controller.podChanged(pod),
        onDelete: (pod) => controller.podDeleted(pod)
      })
      nodes.addHandler({
        onUpdate: (before, node) => affectsDetach(before, node) && enqueueNode(node),
        onDelete: enqueueNode
      })
      volumes.addHandler({ onAdd: enqueueVolume, onUpdate: (_, volume) => enqueueVolume(volume) })
      claims.addHandler({
        onUpdate: (_, claim) => {
          const volume = volumes.find(claim.spec?.volumeName ?? "")
          if (volume !== undefined) enqueueVolume(volume)
        }
      })
      return (key: string) => controller.sync(key)
    })
  })
