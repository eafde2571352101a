import {
  annotationControllerManagedAttach,
  type Node,
  type PersistentVolume,
  type Pod,
  type VolumeAttachment
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isAlreadyExists,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { VolumeObserver } from "../Observer.ts"
import { type DetachSettings, decideDetach, unwantedVolume } from "./ForceDetach.ts"
import { forcedDetach } from "./metrics.ts"
import { multiAttachMessage } from "./multiAttach.ts"
import type { VolumeUse } from "./VolumeUse.ts"
import { type AttachableVolume, attachableOf, attachmentName } from "./volumeNames.ts"

/** Upstream's reconciler looks ten times a second. */
export const RECONCILE_MS = 100

export interface AttachDetachParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly nodes: Informer<"Node">
  readonly volumes: Informer<"PersistentVolume">
  /** With the indexes `node`, `volume` and `pair`. */
  readonly attachments: Informer<"VolumeAttachment">
  readonly use: VolumeUse
  /** Of pairs of a node and a volume. */
  readonly queue: WorkQueue<string>
  readonly settings: DetachSettings
  readonly observer: VolumeObserver
}

/** A node and a volume as one key. */
export const pairKey = (node: string, volume: string): string => `${node}/${volume}`
const pairOf = (key: string): readonly [node: string, volume: string] => {
  const at = key.indexOf("/")
  return [key.slice(0, at), key.slice(at + 1)]
}

export const volumeOfAttachment = ({ spec }: VolumeAttachment): string => spec.source.persistentVolumeName ?? ""

/**
 * Brings each volume to the nodes whose pods need it, and takes it off those that do not: at once where it is not mounted, and else
 * only when the node is out of service, or has been unwell for six minutes.
 * Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go, by pairs instead of passes.
 */
export class AttachDetach {
  private readonly parts: AttachDetachParts
  /** Since when each pair is to be parted, in milliseconds. */
  private readonly unwantedSince = new Map<string, number>()
  /** Detachments on their way, with what is to be told of them. */
  private readonly parting = new Map<string, boolean>()
  /** Pods that were told why they wait, by pair. */
  private readonly told = new Map<string, Set<string>>()

  constructor(parts: AttachDetachParts) {
    this.parts = parts
  }

  /** Looks at a pair with the next pass. */
  look(node: string, volume: string): void {
    if (node === "" || volume === "") return
    const now = this.parts.timers.now()
    this.parts.queue.addAfter(pairKey(node, volume), RECONCILE_MS - (now % RECONCILE_MS))
  }

  podSeen(pod: Pod): void {
    this.parts.use.set(pod)
    this.podLook(pod)
  }

  podGone(pod: Pod): void {
    this.parts.use.delete(pod)
    this.podLook(pod)
  }

  private podLook(pod: Pod): void {
    for (const volume of this.parts.use.volumesOf(pod)) this.look(pod.spec.nodeName ?? "", volume)
  }

  /** A volume is off a node: whoever waits for it may have it. */
  attachmentGone(attachment: VolumeAttachment): void {
    const node = attachment.spec.nodeName
    const name = volumeOfAttachment(attachment)
    const key = pairKey(node, name)
    this.unwantedSince.delete(key)
    const volume = this.parts.volumes.find(name)
    const forced = this.parting.get(key)
    this.parting.delete(key)
    if (forced !== undefined) this.parts.observer.volumeDetached({ node, volume: name, forced })
    if (volume === undefined) return
    for (const pod of this.parts.use.podsWith(volume)) this.look(pod.spec.nodeName ?? "", name)
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: AttachDetach, key: string) {
    const [nodeName, name] = pairOf(key)
    const persistent = this.parts.volumes.find(name)
    const volume = persistent === undefined ? undefined : attachableOf(persistent)
    const [attachment] = this.parts.attachments.byIndex("pair", key)
    const node = this.parts.nodes.find(nodeName)
    const users = persistent === undefined ? [] : this.parts.use.podsWith(persistent)
    const here = users.filter(({ spec }) => spec.nodeName === nodeName)
    if (here.length === 0) {
      this.told.delete(key)
      if (attachment !== undefined) yield* this.detach(key, attachment, volume, node)
      else this.unwantedSince.delete(key)
      return
    }
    this.unwantedSince.delete(key)
    if (volume === undefined || persistent === undefined || node === undefined || !isManaged(node)) return
    if (attachment === undefined) yield* this.attach(key, volume, here, users)
    else if (attachment.status?.attached === true) yield* this.noteAttached(node, volume, here)
  })

  private readonly attach = Effect.fnUntraced(
    { self: this },
    function* (
      this: AttachDetach,
      key: string,
      volume: AttachableVolume,
      here: ReadonlyArray<Pod>,
      users: ReadonlyArray<Pod>
    ) {
      const { attachments, cluster, recorder } = this.parts
      const [nodeName] = pairOf(key)
      if (!volume.shared && attachments.byIndex("volume", volume.name).length > 0) {
        const told = this.told.get(key) ?? new Set<string>()
        this.told.set(key, told)
        for (const pod of here) {
          const { uid = "" } = pod.metadata
          if (told.has(uid)) continue
          told.add(uid)
          const others = users.filter(({ spec }) => spec.nodeName !== nodeName)
          recorder.event(pod, "Warning", "FailedAttachVolume", multiAttachMessage(volume.name, pod, others))
        }
        return
      }
      this.told.delete(key)
      yield* cluster
        .create("VolumeAttachment", {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: attachmentName(volume, nodeName) },
          spec: { attacher: volume.driver, nodeName, source: { persistentVolumeName: volume.name } }
        })
        .pipe(
          Effect.catchIf(isAlreadyExists, () => Effect.void),
          Effect.tapError(({ message }) =>
            Effect.sync(() => {
              const text = `AttachVolume.Attach failed for volume "${volume.name}" : ${message}`
              for (const pod of here) recorder.event(pod, "Warning", "FailedAttachVolume", text)
            })
          )
        )
    }
  )

  /** The node is told what it has: its kubelet mounts nothing that does not stand there. */
  private readonly noteAttached = Effect.fnUntraced(
    { self: this },
    function* (this: AttachDetach, node: Node, volume: AttachableVolume, here: ReadonlyArray<Pod>) {
      const attached = node.status?.volumesAttached ?? []
      if (attached.some(({ name }) => name === volume.uniqueName)) return
      yield* this.patchAttached(node, [...attached, { name: volume.uniqueName, devicePath: "" }])
      const text = `AttachVolume.Attach succeeded for volume "${volume.name}" `
      for (const pod of here) this.parts.recorder.event(pod, "Normal", "SuccessfulAttachVolume", text)
    }
  )

  private patchAttached(
    { metadata: { name = "" } }: Node,
    volumesAttached: ReadonlyArray<{ readonly name: string }>
  ): Effect.Effect<void, ClusterError> {
    const body = { status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } }
    return Effect.asVoid(this.parts.cluster.patch("Node", { name }, "merge", body, { subresource: "status" }))
  }

  private readonly detach = Effect.fnUntraced(
    { self: this },
    function* (
      this: AttachDetach,
      key: string,
      attachment: VolumeAttachment,
      volume: AttachableVolume | undefined,
      node: Node | undefined
    ) {
      const { cluster, queue, settings, timers } = this.parts
      if (attachment.metadata.deletionTimestamp !== undefined) return
      const since = this.unwantedSince.get(key) ?? timers.now()
      this.unwantedSince.set(key, since)
      const uniqueName = volume?.uniqueName ?? ""
      const elapsedMs = timers.now() - since
      const decision = decideDetach(unwantedVolume(node, uniqueName, elapsedMs), settings)
      if (!decision.detach) {
        // Node, pod and volume call for a look when they change; time does not.
        const leftMs = settings.maxWaitForUnmountMs - elapsedMs
        if (leftMs >= 0) queue.addAfter(key, leftMs + RECONCILE_MS)
        return
      }
      const attached = node?.status?.volumesAttached ?? []
      if (node !== undefined && attached.some(({ name }) => name === uniqueName)) {
        yield* this.patchAttached(
          node,
          attached.filter(({ name }) => name !== uniqueName)
        )
      }
      if (decision.verifySafeToDetach && node !== undefined) {
        const fresh = yield* cluster
          .get("Node", { name: node.metadata.name ?? "" })
          .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        if (fresh?.status?.volumesInUse?.includes(uniqueName) === true) {
          yield* this.patchAttached(fresh, [...(fresh.status.volumesAttached ?? []), { name: uniqueName }])
          return
        }
      }
      this.parting.set(key, decision.forcedReason !== null)
      yield* cluster
        .delete("VolumeAttachment", { name: attachment.metadata.name ?? "" })
        .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      if (decision.forcedReason !== null) yield* forcedDetach(decision.forcedReason)
    }
  )
}

const isManaged = (node: Node): boolean => node.metadata.annotations?.[annotationControllerManagedAttach] === "true"

/** The claims of a volume's pods are bound by name on both sides: a volume that changes concerns whoever uses it. */
export const nodesUsing = (use: VolumeUse, volume: PersistentVolume): ReadonlyArray<string> =>
  use.podsWith(volume).map(({ spec }) => spec.nodeName ?? "")
