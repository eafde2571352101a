import type { Node, PersistentVolume, VolumeAttachment } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { CurrentVolumeObserver } from "../Observer.ts"
import { AttachDetach, nodesUsing, pairKey, volumeOfAttachment } from "./AttachDetach.ts"
import { type DetachSettings, defaultDetachSettings } from "./ForceDetach.ts"
import { VolumeUse } from "./VolumeUse.ts"

const WORKERS = 10

/** All that decides about a detachment has changed, or may have. */
const bears = (before: Node, node: Node): boolean =>
  before.status?.volumesInUse !== node.status?.volumesInUse ||
  before.status?.conditions !== node.status?.conditions ||
  before.spec?.taints !== node.spec?.taints

/**
 * Attaches CSI volumes to the nodes whose pods need them, and detaches them, as long as the layer stands, through the Cluster at
 * hand. What it does to a volume another, the CSI driver's attacher, has to carry out.
 * Upstream: pkg/controller/volume/attachdetach/attach_detach_controller.go.
 */
export const layerAttachDetach = (settings: Partial<DetachSettings> = {}) =>
  Controller.make({
    name: "persistentvolume-attach-detach-controller",
    queue: "",
    records: "attachdetach-controller",
    for: "Pod",
    // Looked at are pairs of a node and a volume.
    when: () => false,
    watches: {
      PersistentVolumeClaim: {},
      PersistentVolume: {},
      Node: {},
      VolumeAttachment: {
        indexes: {
          node: ({ spec }) => spec.nodeName,
          volume: volumeOfAttachment,
          pair: (attachment) => pairKey(attachment.spec.nodeName, volumeOfAttachment(attachment))
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
      const lookAt = (attachment: VolumeAttachment) =>
        controller.look(attachment.spec.nodeName, volumeOfAttachment(attachment))
      const lookOn = ({ metadata: { name = "" } }: Node) => {
        for (const attachment of attachments.byIndex("node", name)) lookAt(attachment)
      }
      const lookFor = (volume: PersistentVolume) => {
        for (const node of nodesUsing(use, volume)) controller.look(node, volume.metadata.name ?? "")
      }
      attachments.addHandler({
        onAdd: lookAt,
        onUpdate: (_, attachment) => lookAt(attachment),
        onDelete: (attachment) => controller.attachmentGone(attachment)
      })
      pods.addHandler({
        onAdd: (pod) => controller.podSeen(pod),
        onUpdate: (_, pod) => controller.podSeen(pod),
        onDelete: (pod) => controller.podGone(pod)
      })
      nodes.addHandler({ onUpdate: (before, node) => bears(before, node) && lookOn(node), onDelete: lookOn })
      volumes.addHandler({ onAdd: lookFor, onUpdate: (_, volume) => lookFor(volume) })
      claims.addHandler({
        onUpdate: (_, claim) => {
          const volume = volumes.find(claim.spec?.volumeName ?? "")
          if (volume !== undefined) lookFor(volume)
        }
      })
      return (key: string) => controller.sync(key)
    })
  })
