import type { Node, Pod, PodStatus } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import { guarded, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { resyncDelayMs, retryDelayMs } from "../pod/PodRetries.ts"
import type { PodWorkers } from "../pod/PodWorkers.ts"
import { MirrorPods } from "./MirrorPods.ts"
import type { StaticPodManifest } from "./StaticPodManifest.ts"
import { type MirrorCallbacks, StaticPodRecord } from "./StaticPodRecord.ts"
import { isMirrorOf, isMirrorPod, staticPodOf } from "./staticPodOf.ts"

const FIRST_RETRY_DELAY_MS = 100
const MAX_RETRY_DELAY_MS = 10_000

const fullName = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

/** Returns the status of a static pod for a process that has not seen it before: no manifest says since when it runs. */
const ofNewProcess = ({ conditions: _, startTime: __, ...status }: PodStatus): PodStatus => status

/** Whether a mirror was deleted without a grace period, as its kubelet does. */
const isBeingRemoved = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/**
 * Runs the static pods of a node, and maintains a mirror pod for each in the API. Changes of the mirror do not affect
 * the pod: a mirror that is deleted, or shows an earlier manifest, is recreated; one without a pod is deleted.
 * Upstream: pkg/kubelet/kubelet.go SyncPod, deleteOrphanedMirrorPods; pkg/kubelet/pod_workers.go allowPodStart.
 */
export class StaticPods implements MirrorCallbacks {
  private readonly env: Env
  private readonly workers: PodWorkers
  private readonly node: () => Node | undefined
  private readonly mirrorPods: MirrorPods
  /** The pods of the manifests by full name. After a change, the previous pod may still be terminating. */
  private desired: ReadonlyMap<string, Pod> = new Map()
  /** The mirrors in the API, by full name. */
  private readonly mirrorsInApi = new Map<string, Pod>()
  /** The pods that replace others which had not ended yet, and when they are tried again, by full name. */
  private readonly replacing = new Map<string, Timer>()
  /** The pods whose mirrors were deleted by others, and when these are made anew, by full name. */
  private readonly recreations = new Map<string, Timer>()
  private timer: Timer | undefined = undefined
  private retryDelayMs = FIRST_RETRY_DELAY_MS

  constructor(env: Env, workers: PodWorkers, node: () => Node | undefined) {
    this.env = env
    this.workers = workers
    this.node = node
    this.mirrorPods = new MirrorPods(env)
  }

  /** Replaces the manifests. An invalid manifest is skipped. */
  set(manifests: ReadonlyArray<StaticPodManifest>): void {
    const desired = new Map<string, Pod>()
    for (const manifest of manifests) {
      guarded(this.env.timers, "static pod", () => {
        const made = staticPodOf(manifest, this.env.name, this.env.wallTime())
        if (Result.isSuccess(made)) desired.set(fullName(made.success), made.success)
      })
    }
    this.desired = desired
    this.takeOverMirrors()
    this.sync()
  }

  /** Takes over mirrors that were treated as pods before any manifests were set. */
  private takeOverMirrors(): void {
    for (const record of [...this.workers.records.values()]) {
      if (record instanceof StaticPodRecord || !record.present || !isMirrorPod(record.pod)) continue
      this.mirrorsInApi.set(fullName(record.pod), record.pod)
      record.present = false
      this.workers.sync(record)
    }
  }

  /** The kubelet's process starts. */
  start(): void {
    this.sync()
    for (const record of this.records()) {
      this.beginAnew(record)
      this.workers.sync(record)
    }
  }

  private beginAnew(record: StaticPodRecord): void {
    if (record.stage !== "running") return
    record.status = ofNewProcess(record.status)
    this.workers.guard(record, () => this.workers.statusManager.setPodStatus(record, record.containers))
  }

  stop(): void {
    this.mirrorPods.stop()
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
    this.retryDelayMs = FIRST_RETRY_DELAY_MS
    for (const timers of [this.replacing, this.recreations]) {
      for (const timer of timers.values()) this.env.timers.cancel(timer)
      timers.clear()
    }
    // The next process learns from the API which mirrors there are.
    this.mirrorsInApi.clear()
    for (const record of this.records()) {
      record.isRequestInFlight = false
      record.mirror = undefined
    }
  }

  /** Handles this version of a mirror from the API. */
  mirrorChanged(mirror: Pod): void {
    const known = this.mirrorsInApi.get(fullName(mirror))
    if (known !== undefined && isOlder(mirror, known)) return
    this.mirrorsInApi.set(fullName(mirror), mirror)
    const record = this.recordOf(mirror)
    if (record !== undefined) this.syncMirror(record)
    else if (!this.desired.has(fullName(mirror)) && !isBeingRemoved(mirror)) this.mirrorPods.deleteOrphan(mirror)
  }

  /** The API has no mirror with this uid any more. */
  mirrorDeleted(uid: string): void {
    this.mirrorPods.gone(uid)
    for (const [name, mirror] of this.mirrorsInApi) {
      if (mirror.metadata.uid !== uid) continue
      this.mirrorsInApi.delete(name)
      const record = this.recordOf(mirror)
      if (record === undefined) continue
      if (record.mirror?.metadata.uid === uid) record.mirror = undefined
      if (!record.isRequestInFlight) this.recreateLater(record)
    }
  }

  /** Handles a list of pods: mirrors whose uid is not in it no longer exist. */
  retainMirrors(uids: ReadonlySet<string>): void {
    for (const { metadata } of [...this.mirrorsInApi.values()]) {
      if (!uids.has(metadata.uid ?? "")) this.mirrorDeleted(metadata.uid ?? "")
    }
  }

  /** Nothing of a pod is left: its mirror is deleted. */
  podForgotten(): void {
    this.sync()
  }

  /** Makes the API show the pod: creates its mirror, or deletes an outdated one first. */
  syncMirror(record: StaticPodRecord): void {
    if (!this.workers.isActive || !record.present || record.isRequestInFlight) return
    const mirror = this.mirrorsInApi.get(fullName(record.pod))
    if (mirror === undefined) {
      if (!this.recreations.has(fullName(record.pod))) this.create(record)
      return
    }
    if (isMirrorOf(mirror, record.pod) && mirror.metadata.deletionTimestamp === undefined) {
      if (record.mirror === mirror) return
      this.retryDelayMs = FIRST_RETRY_DELAY_MS
      const isNew = record.mirror?.metadata.uid !== mirror.metadata.uid
      record.mirror = mirror
      if (isNew) this.workers.postStatus(record)
      else if (mirror.status !== record.status) this.workers.statusManager.syncLater(record)
      return
    }
    record.mirror = undefined
    record.isRequestInFlight = true
    this.mirrorPods.delete(mirror, (wasDeleted) => {
      record.isRequestInFlight = false
      if (this.mirrorsInApi.get(fullName(record.pod)) === mirror) this.mirrorsInApi.delete(fullName(record.pod))
      if (wasDeleted) this.syncMirror(record)
      else this.recreateLater(record)
    })
  }

  private create(record: StaticPodRecord): void {
    const uid = this.node()?.metadata.uid
    if (uid === undefined) {
      this.retryLater()
      return
    }
    record.isRequestInFlight = true
    this.mirrorPods.create(record.pod, uid, (mirror) => {
      record.isRequestInFlight = false
      if (mirror !== undefined) this.mirrorChanged(mirror)
      else this.retryLater()
    })
  }

  /** The Node is not known yet, or the API refuses the mirror: retries, with a growing delay. */
  private retryLater(): void {
    if (this.timer !== undefined) return
    this.timer = this.env.timers.after(this.retryDelayMs, () => {
      this.timer = undefined
      this.retryDelayMs = Math.min(this.retryDelayMs * 2, MAX_RETRY_DELAY_MS)
      for (const record of this.records()) {
        if (record.mirror === undefined) this.workers.guard(record, () => this.syncMirror(record))
      }
    })
  }

  /** Someone else has deleted a mirror: the next sync of its pod makes it anew. Upstream: HandlePodRemoves of pkg/kubelet/kubelet.go. */
  private recreateLater(record: StaticPodRecord): void {
    const name = fullName(record.pod)
    if (this.recreations.has(name)) return
    const timer = this.env.timers.after(resyncDelayMs(this.env), () => {
      this.recreations.delete(name)
      this.workers.guard(record, () => this.syncMirror(record))
    })
    this.recreations.set(name, timer)
  }

  /** Ends pods without a manifest, deletes mirrors without a pod, and starts the pods of new manifests. */
  private sync(): void {
    if (!this.workers.isActive) return
    const running = new Set<string>()
    for (const record of this.records()) {
      const name = fullName(record.pod)
      running.add(name)
      if (this.desired.get(name)?.metadata.uid === record.pod.metadata.uid) continue
      // The mirror is that of another pod now.
      if (this.desired.has(name)) record.mirror = undefined
      record.present = false
      this.workers.sync(record)
      if (!this.workers.records.has(record.pod.metadata.uid ?? "")) running.delete(name)
    }
    for (const [name, mirror] of this.mirrorsInApi) {
      if (!running.has(name) && !this.desired.has(name)) this.mirrorPods.deleteOrphan(mirror)
    }
    for (const [name, pod] of this.desired) {
      if (this.workers.records.has(pod.metadata.uid ?? "") || this.replacing.has(name)) continue
      if (running.has(name)) {
        this.replaceLater(name)
        continue
      }
      const mirror = this.mirrorsInApi.get(name)
      // Its containers may have been started before this kubelet's process.
      const isRunning = mirror?.status?.phase === "Running" && isMirrorOf(mirror, pod)
      const knownStatus = isRunning ? ofNewProcess(mirror.status) : pod.status
      const record = new StaticPodRecord(
        this.workers,
        knownStatus === undefined ? pod : { ...pod, status: knownStatus },
        this
      )
      this.workers.records.set(pod.metadata.uid ?? "", record)
      this.workers.sync(record)
    }
  }

  /** The pod before has not ended: tries again after the back-off of a worker. Upstream: pod_workers.go, podWorkerLoop. */
  private replaceLater(name: string): void {
    const timer = this.env.timers.after(retryDelayMs(this.env), () => {
      this.replacing.delete(name)
      this.sync()
    })
    this.replacing.set(name, timer)
  }

  private recordOf(mirror: Pod): StaticPodRecord | undefined {
    const name = fullName(mirror)
    return this.records().find(({ pod }) => fullName(pod) === name)
  }

  private records(): ReadonlyArray<StaticPodRecord> {
    const out: Array<StaticPodRecord> = []
    for (const record of this.workers.records.values()) if (record instanceof StaticPodRecord) out.push(record)
    return out
  }
}
