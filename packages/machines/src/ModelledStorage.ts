import {
  keyOf,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment
} from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { ControlledHost } from "@rollcall/kubelet"
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

export interface StorageOptions {
  /** An administrator's connection. */
  readonly connection: Connection
  readonly timers: TimersShape
  readonly machineOf: (node: string) => StorageMachine | undefined
}

/** How often a kubelet with volumes syncs its mounts. Upstream: the volume manager's reconciler, 100 ms. */
const LOOK_MS = 1000

interface NodeList {
  readonly items: ReadonlyArray<Node> | null
}

/** A pod that waits for its volumes. */
interface Waiting {
  readonly pod: Pod
  readonly node: string
  readonly go: () => void
}

/**
 * The machines' part of volumes: pods start after their volumes are attached, and kubelets report which volumes their
 * pods have mounted. Without claims it does nothing.
 */
export class ModelledStorage implements StartGateShape {
  private readonly options: StorageOptions
  private readonly volumeOfClaim = new Map<string, string>()
  private readonly uniqueNames = new Map<string, string>()
  /** The claims of each pod that has any, by its node and its UID. */
  private readonly mounted = new Map<string, Map<string, ReadonlyArray<string>>>()
  private readonly reported = new Map<string, string>()
  /** Nodes whose mounts may have changed. */
  private readonly pendingNodes = new Set<string>()
  private readonly claims = new Set<string>()
  /** `node/volume` of each completed attachment. */
  private readonly attached = new Set<string>()
  private waiting: Array<Waiting> = []
  private followsPods = false
  private isScheduled = false

  constructor(options: StorageOptions) {
    this.options = options
    this.follow<PersistentVolume>("PersistentVolume", (volume) => {
      const attachable = attachableOf(volume)
      if (attachable !== undefined) this.uniqueNames.set(attachable.name, attachable.uniqueName)
    })
    this.follow<PersistentVolumeClaim>("PersistentVolumeClaim", (claim, gone) => this.claimSeen(claim, gone))
    this.follow<VolumeAttachment>("VolumeAttachment", (attachment, gone) => this.attachmentSeen(attachment, gone))
  }

  pass(pod: Pod, node: string, go: () => void): void {
    if (this.isReady(pod, node)) go()
    else this.waiting.push({ pod, node, go })
  }

  cancel(pod: Pod): boolean {
    const before = this.waiting.length
    if (before > 0) this.waiting = this.waiting.filter((one) => one.pod.metadata.uid !== pod.metadata.uid)
    return this.waiting.length < before
  }

  cancelAll(node: string): void {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((one) => one.node !== node)
  }

  /**
   * Pods do not wait for claims that do not exist, as in snapshots of pods alone, nor for volumes that no driver
   * attaches.
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
    this.waiting = this.waiting.filter((one) => !ready.includes(one))
    for (const { go } of ready) go()
  }

  private follow<A>(
    kind: "PersistentVolume" | "PersistentVolumeClaim" | "VolumeAttachment" | "Pod",
    see: (object: A, gone: boolean) => void
  ): void {
    this.options.connection.watch(
      { verb: "watch", kind, sendInitialEvents: true },
      {
        events: (batch) => {
          for (const { object, type } of batch) {
            if (type !== "BOOKMARK" && type !== "ERROR") see(object as A, type === "DELETED")
          }
        },
        end: () => {}
      }
    )
  }

  private claimSeen(claim: PersistentVolumeClaim, gone: boolean): void {
    const { volumeName = "" } = claim.spec ?? {}
    if (gone) {
      this.claims.delete(keyOf(claim))
      this.volumeOfClaim.delete(keyOf(claim))
      return
    }
    this.claims.add(keyOf(claim))
    if (!this.followsPods) {
      this.followsPods = true
      this.follow<Pod>("Pod", (pod, gone) => this.podSeen(pod, gone))
      this.readReported()
    }
    if (volumeName !== "") {
      this.volumeOfClaim.set(keyOf(claim), volumeName)
      this.startReady()
    }
  }

  private attachmentSeen({ spec, status }: VolumeAttachment, gone: boolean): void {
    const pair = `${spec.nodeName}/${spec.source.persistentVolumeName}`
    if (gone) this.attached.delete(pair)
    else if (status?.attached === true) {
      this.attached.add(pair)
      this.startReady()
    }
  }

  private podSeen(pod: Pod, gone: boolean): void {
    const { nodeName = "" } = pod.spec
    const claims = claimsOfPod(pod)
    if (nodeName === "" || claims.length === 0) return
    const pods = this.mounted.get(nodeName) ?? new Map<string, ReadonlyArray<string>>()
    this.mounted.set(nodeName, pods)
    if (!gone) pods.set(pod.metadata.uid ?? "", claims)
    this.pendingNodes.add(nodeName)
    this.scheduleSync()
  }

  private scheduleSync(): void {
    if (this.isScheduled || this.pendingNodes.size === 0) return
    this.isScheduled = true
    this.options.timers.after(LOOK_MS, () => {
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

  /** Nodes of a snapshot or a store may report volumes that their kubelets no longer have mounted. */
  private readReported(): void {
    this.options.connection.send({ verb: "list", kind: "Node" }, (answer) => {
      if (Result.isFailure(answer)) return
      for (const { metadata, status } of (answer.success as NodeList).items ?? []) {
        const { name = "" } = metadata
        const held = [...(status?.volumesInUse ?? [])].sort().join()
        if (held === "" || this.reported.has(name)) continue
        this.reported.set(name, held)
        this.pendingNodes.add(name)
      }
      this.scheduleSync()
    })
  }

  /**
   * Updates the mounted volumes of a running kubelet; the Node of a stopped one keeps its last report. Returns true
   * when all of the node's pods run: then nothing changes until the next pod event.
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
