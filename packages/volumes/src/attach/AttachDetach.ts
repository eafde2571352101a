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
  Retries,
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

/** The period of upstream's reconciler: pairs are handled at multiples of it. */
export const RECONCILE_MS = 100

/** What the controller needs. */
export interface AttachDetachParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly nodes: Informer<"Node">
  readonly volumes: Informer<"PersistentVolume">
  /** With the indexes `node`, `volume` (name of the PersistentVolume) and `pair` (see `pairKey`) of its own ones. */
  readonly attachments: Informer<"VolumeAttachment">
  readonly use: VolumeUse
  /** Keys of pairs of a node and a volume. */
  readonly queue: WorkQueue<string>
  readonly settings: DetachSettings
  readonly observer: VolumeObserver
}

/** The key of a pair of a node and a volume. */
export const pairKey = (node: string, volume: string): string => `${node}/${volume}`
const pairOf = (key: string): readonly [node: string, volume: string] => {
  const at = key.indexOf("/")
  return [key.slice(0, at), key.slice(at + 1)]
}

export const volumeOfAttachment = ({ spec }: VolumeAttachment): string => spec.source.persistentVolumeName ?? ""

/**
 * Attaches each volume to the nodes whose pods need it, and detaches it from the others: at once if the node does not
 * report it as mounted, else only if the node is out of service, or has been unhealthy for six minutes. Unlike
 * upstream, which checks all volumes in each pass, it checks a pair of node and volume when something about it changes.
 * Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go.
 */
export class AttachDetach {
  private readonly parts: AttachDetachParts
  /** When each pair was first found unneeded, in milliseconds. */
  private readonly unwantedSince = new Map<string, number>()
  /** Pairs whose attachment is being deleted, and whether that was forced. */
  private readonly detaching = new Map<string, boolean>()
  /** The back-off of pairs whose driver reports an error. Upstream: pkg/util/goroutinemap/exponentialbackoff. */
  private readonly failures = new Retries<string>({ baseMs: 500, maxMs: 122_000, hasOverall: false })
  private readonly failedUntil = new Map<string, number>()
  /** Uids of the pods that got a Multi-Attach event, by pair. */
  private readonly reported = new Map<string, Set<string>>()

  constructor(parts: AttachDetachParts) {
    this.parts = parts
  }

  /** Queues a pair for the next pass of the reconciler. */
  enqueue(node: string, volume: string): void {
    if (node === "" || volume === "") return
    const now = this.parts.timers.now()
    this.parts.queue.addAfter(pairKey(node, volume), RECONCILE_MS - (now % RECONCILE_MS))
  }

  /** Must be called when a pod was added or changed. */
  podChanged(pod: Pod): void {
    this.parts.use.set(pod)
    this.enqueuePod(pod)
  }

  podDeleted(pod: Pod): void {
    this.parts.use.delete(pod)
    this.enqueuePod(pod)
  }

  private enqueuePod(pod: Pod): void {
    for (const volume of this.parts.use.volumesOf(pod)) this.enqueue(pod.spec.nodeName ?? "", volume)
  }

  /** Must be called when a volume was detached from a node: pods on other nodes that wait for it may get it. */
  attachmentDeleted(attachment: VolumeAttachment): void {
    const node = attachment.spec.nodeName
    const name = volumeOfAttachment(attachment)
    const key = pairKey(node, name)
    this.unwantedSince.delete(key)
    const volume = this.parts.volumes.find(name)
    const forced = this.detaching.get(key)
    this.detaching.delete(key)
    if (forced !== undefined) this.parts.observer.volumeDetached({ node, volume: name, forced })
    if (volume === undefined) return
    for (const pod of this.parts.use.podsWith(volume)) this.enqueue(pod.spec.nodeName ?? "", name)
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
      this.reported.delete(key)
      this.forgetFailure(key)
      if (attachment !== undefined) yield* this.detach(key, attachment, volume, node)
      else this.unwantedSince.delete(key)
      return
    }
    this.unwantedSince.delete(key)
    if (volume === undefined || persistent === undefined || node === undefined || !isManaged(node)) return
    if (attachment === undefined) yield* this.attach(key, volume, here, users)
    else if (attachment.status?.attached !== true) this.reportFailure(key, volume, attachment, here)
    else {
      this.forgetFailure(key)
      yield* this.reportAttached(node, volume, here)
    }
  })

  private forgetFailure(key: string): void {
    this.failures.forget(key)
    this.failedUntil.delete(key)
  }

  /** Records what the driver reports, and looks again after a back-off. Upstream: csi_attacher.go verifyAttachmentStatus. */
  private reportFailure(key: string, volume: AttachableVolume, attachment: VolumeAttachment, pods: ReadonlyArray<Pod>) {
    const { queue, recorder, timers } = this.parts
    const { message } = attachment.status?.attachError ?? {}
    const now = timers.now()
    if (message === undefined || now < (this.failedUntil.get(key) ?? 0)) return
    const text = `AttachVolume.Attach failed for volume "${volume.name}" : ${message}`
    for (const pod of pods) recorder.event(pod, "Warning", "FailedAttachVolume", text)
    const delayMs = this.failures.nextMs(key, now)
    this.failedUntil.set(key, now + delayMs)
    queue.addAfter(key, delayMs)
  }

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
        const reported = this.reported.get(key) ?? new Set<string>()
        this.reported.set(key, reported)
        for (const pod of here) {
          const { uid = "" } = pod.metadata
          if (reported.has(uid)) continue
          reported.add(uid)
          const others = users.filter(({ spec }) => spec.nodeName !== nodeName)
          recorder.event(pod, "Warning", "FailedAttachVolume", multiAttachMessage(volume.name, pod, others))
        }
        return
      }
      this.reported.delete(key)
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

  /** Adds the volume to the node's status.volumesAttached: its kubelet mounts only volumes listed there. */
  private readonly reportAttached = Effect.fnUntraced(
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
        // A change of node, pod or volume queues the pair again. The timeout is no change, so it needs a timer.
        const remainingMs = settings.maxWaitForUnmountMs - elapsedMs
        if (remainingMs >= 0) queue.addAfter(key, remainingMs + RECONCILE_MS)
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
        const current = yield* cluster
          .get("Node", { name: node.metadata.name ?? "" })
          .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        if (current?.status?.volumesInUse?.includes(uniqueName) === true) {
          yield* this.patchAttached(current, [...(current.status.volumesAttached ?? []), { name: uniqueName }])
          return
        }
      }
      this.detaching.set(key, decision.forcedReason !== null)
      yield* cluster
        .delete("VolumeAttachment", { name: attachment.metadata.name ?? "" })
        .pipe(Effect.catchIf(isNotFound, () => Effect.void))
      if (decision.forcedReason !== null) yield* forcedDetach(decision.forcedReason)
    }
  )
}

/** Whether this controller, and not the kubelet, attaches volumes to the node. */
const isManaged = (node: Node): boolean => node.metadata.annotations?.[annotationControllerManagedAttach] === "true"

/**
 * The names of the nodes of the pods that use a volume.
 */
export const nodesUsing = (use: VolumeUse, volume: PersistentVolume): ReadonlyArray<string> =>
  use.podsWith(volume).map(({ spec }) => spec.nodeName ?? "")
