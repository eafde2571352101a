import {
  keyOf,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment
} from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { ControlledHost, FilesOfClaim } from "@rollcall/kubelet"
import { guarded, type TimersShape } from "@rollcall/time"
import { attachableOf, claimsOfPod } from "@rollcall/volumes"
import * as Result from "effect/Result"
import type { StartGateShape } from "./GatedRuntime.ts"

/** What storage needs of a machine: its kubelet, and a setter for mounted volumes. */
export interface StorageMachine {
  readonly name: string
  readonly host: Pick<ControlledHost, "setVolumesInUse">
  readonly kubelet: {
    readonly running: boolean
    readonly pods: () => ReadonlyArray<{ readonly uid: string; readonly hasContainers: boolean }>
    readonly syncNodeStatus: () => void
  }
}

/** The dependencies of a ModelledStorage. */
export interface StorageOptions {
  /** An administrator's connection. */
  readonly connection: Connection
  readonly timers: TimersShape
  readonly machineOf: (node: string) => StorageMachine | undefined
}

/**
 * The period in which the mounts of a kubelet are synced while its pods start or stop. Upstream's reconciler of volumes
 * runs every 100 ms; here fewer timers are worth the delay.
 */
const SYNC_PERIOD_MS = 1000

interface NodeList {
  readonly items: ReadonlyArray<Node> | null
}

/** A pod that waits for its volumes. */
interface WaitingPod {
  readonly pod: Pod
  readonly node: string
  readonly start: () => void
}

/**
 * The machines' part of volumes: pods start after their volumes are attached, and kubelets report which volumes their
 * pods have mounted. Without claims it does nothing.
 */
export class ModelledStorage implements StartGateShape {
  private readonly options: StorageOptions
  /** The volume of each bound claim, by the claim's key. */
  private readonly volumeOfClaim = new Map<string, string>()
  /** The unique name of each volume that a driver attaches, by the volume's name. */
  private readonly uniqueNames = new Map<string, string>()
  /** The claims of each pod that has any, by the pod's node and then its uid. */
  private readonly mounted = new Map<string, Map<string, ReadonlyArray<string>>>()
  /** The volumes that each node reports as in use, sorted and joined by commas. */
  private readonly reported = new Map<string, string>()
  /** The nodes whose mounts may have changed since the last sync. */
  private readonly pendingNodes = new Set<string>()
  /** The keys of all claims. */
  private readonly claims = new Set<string>()
  /** The completed attachments, as `node/volume`. */
  private readonly attached = new Set<string>()
  /** What commands have written in each volume, by its name; a volume that nothing was written in has none. */
  private readonly files = new Map<string, ReturnType<FilesOfClaim>>()
  private waiting: Array<WaitingPod> = []
  private isWatchingPods = false
  private isScheduled = false

  constructor(options: StorageOptions) {
    this.options = options
    this.watch<PersistentVolume>("PersistentVolume", (volume, deleted) => {
      if (deleted) this.files.delete(volume.metadata.name ?? "")
      const attachable = attachableOf(volume)
      if (attachable !== undefined) this.uniqueNames.set(attachable.name, attachable.uniqueName)
    })
    this.watch<PersistentVolumeClaim>("PersistentVolumeClaim", (claim, deleted) => this.claimChanged(claim, deleted))
    this.watch<VolumeAttachment>("VolumeAttachment", (attachment, deleted) =>
      this.attachmentChanged(attachment, deleted)
    )
  }

  pass(pod: Pod, node: string, start: () => void): void {
    if (this.isReady(pod, node)) start()
    else this.waiting.push({ pod, node, start })
  }

  cancel(pod: Pod): boolean {
    const before = this.waiting.length
    if (before > 0) this.waiting = this.waiting.filter((each) => each.pod.metadata.uid !== pod.metadata.uid)
    return this.waiting.length < before
  }

  cancelAll(node: string): void {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((each) => each.node !== node)
  }

  readonly filesOfClaim: FilesOfClaim = (claim) => {
    const volume = this.volumeOfClaim.get(claim)
    if (volume === undefined) return undefined
    const known: ReturnType<FilesOfClaim> = this.files.get(volume) ?? new Map()
    this.files.set(volume, known)
    return known
  }

  /**
   * Whether all volumes of a pod are attached. Pods do not wait for claims that do not exist, as in snapshots of pods
   * alone, nor for volumes that no driver attaches.
   */
  private isReady(pod: Pod, node: string): boolean {
    return claimsOfPod(pod).every((claim) => {
      if (!this.claims.has(claim)) return true
      const volume = this.volumeOfClaim.get(claim)
      return volume !== undefined && (!this.uniqueNames.has(volume) || this.attached.has(`${node}/${volume}`))
    })
  }

  private startReady(): void {
    if (this.waiting.length === 0) return
    const ready = this.waiting.filter(({ node, pod }) => this.isReady(pod, node))
    if (ready.length === 0) return
    this.waiting = this.waiting.filter((each) => !ready.includes(each))
    for (const { start } of ready) start()
  }

  private watch<A>(
    kind: "PersistentVolume" | "PersistentVolumeClaim" | "VolumeAttachment" | "Pod",
    onObject: (object: A, deleted: boolean) => void
  ): void {
    this.options.connection.watch(
      { verb: "watch", kind, sendInitialEvents: true },
      {
        events: (batch) => {
          for (const { object, type } of batch) {
            if (type !== "BOOKMARK" && type !== "ERROR") onObject(object as A, type === "DELETED")
          }
        },
        end: () => {}
      }
    )
  }

  private claimChanged(claim: PersistentVolumeClaim, deleted: boolean): void {
    const { volumeName = "" } = claim.spec ?? {}
    if (deleted) {
      this.claims.delete(keyOf(claim))
      this.volumeOfClaim.delete(keyOf(claim))
      return
    }
    this.claims.add(keyOf(claim))
    if (!this.isWatchingPods) {
      this.isWatchingPods = true
      this.watch<Pod>("Pod", (pod, deleted) => this.podChanged(pod, deleted))
      this.readReportedVolumes()
    }
    if (volumeName !== "") {
      this.volumeOfClaim.set(keyOf(claim), volumeName)
      this.startReady()
    }
  }

  private attachmentChanged({ spec, status }: VolumeAttachment, deleted: boolean): void {
    const pair = `${spec.nodeName}/${spec.source.persistentVolumeName}`
    if (deleted) this.attached.delete(pair)
    else if (status?.attached === true) {
      this.attached.add(pair)
      this.startReady()
    }
  }

  private podChanged(pod: Pod, deleted: boolean): void {
    const { nodeName = "" } = pod.spec
    const claims = claimsOfPod(pod)
    if (nodeName === "" || claims.length === 0) return
    const pods = this.mounted.get(nodeName) ?? new Map<string, ReadonlyArray<string>>()
    this.mounted.set(nodeName, pods)
    if (!deleted) pods.set(pod.metadata.uid ?? "", claims)
    this.pendingNodes.add(nodeName)
    this.scheduleSync()
  }

  private scheduleSync(): void {
    if (this.isScheduled || this.pendingNodes.size === 0) return
    this.isScheduled = true
    this.options.timers.after(SYNC_PERIOD_MS, () => {
      this.isScheduled = false
      for (const node of [...this.pendingNodes]) {
        const sync = () => {
          if (this.syncNode(node, this.mounted.get(node) ?? new Map())) this.pendingNodes.delete(node)
        }
        guarded(this.options.timers, "modelled storage", sync, { node })
      }
      this.scheduleSync()
    })
  }

  /** Reads which volumes the Nodes of a snapshot or a store report, which their kubelets may no longer have mounted. */
  private readReportedVolumes(): void {
    this.options.connection.send({ verb: "list", kind: "Node" }, (answer) => {
      if (Result.isFailure(answer)) return
      for (const { metadata, status } of (answer.success as NodeList).items ?? []) {
        const { name = "" } = metadata
        const volumes = [...(status?.volumesInUse ?? [])].sort().join()
        if (volumes === "" || this.reported.has(name)) continue
        this.reported.set(name, volumes)
        this.pendingNodes.add(name)
      }
      this.scheduleSync()
    })
  }

  /**
   * Updates the mounted volumes of a running kubelet; the Node of a stopped one keeps its last report. Returns whether
   * all of the node's pods run, so that nothing changes until the next event of a pod.
   */
  private syncNode(node: string, pods: Map<string, ReadonlyArray<string>>): boolean {
    const machine = this.options.machineOf(node)
    if (machine?.kubelet.running !== true) return false
    const running = new Map(machine.kubelet.pods().map(({ hasContainers, uid }) => [uid, hasContainers]))
    const volumes = new Set<string>()
    for (const [uid, claims] of pods) {
      if (!running.has(uid)) pods.delete(uid)
      if (running.get(uid) !== true) continue
      for (const claim of claims) {
        const unique = this.uniqueNames.get(this.volumeOfClaim.get(claim) ?? "")
        if (unique !== undefined) volumes.add(unique)
      }
    }
    const inUse = [...volumes].sort()
    const text = inUse.join()
    if (text !== (this.reported.get(node) ?? "")) {
      this.reported.set(node, text)
      machine.host.setVolumesInUse?.(inUse)
      machine.kubelet.syncNodeStatus()
    }
    return [...pods.keys()].every((uid) => running.get(uid) === true)
  }
}
