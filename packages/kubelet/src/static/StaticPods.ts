import type { Node, Pod } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import { guarded, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { PodWorkers } from "../pod/PodWorkers.ts"
import { MirrorPods } from "./MirrorPods.ts"
import type { StaticPodManifest } from "./StaticPodManifest.ts"
import { type MirrorCallbacks, StaticPodRecord } from "./StaticPodRecord.ts"
import { isMirrorPod, mirrors, staticPodOf } from "./staticPodOf.ts"

const FIRST_TRY_AGAIN_MS = 100
const LAST_TRY_AGAIN_MS = 10_000

const fullName = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

/**
 * Runs the static pods of a node, and maintains a mirror pod for each in the API. Changes of the mirror do not affect
 * the pod: a mirror that is deleted, or shows an earlier manifest, is recreated; one without a pod is deleted.
 * Upstream: pkg/kubelet/kubelet.go SyncPod, deleteOrphanedMirrorPods; pkg/kubelet/pod_workers.go allowPodStart.
 */
export class StaticPods implements MirrorCallbacks {
  private readonly env: Env
  private readonly work: PodWorkers
  private readonly node: () => Node | undefined
  private readonly client: MirrorPods
  /** The pods of the manifests by full name; after a change, the previous pod may still be terminating. */
  private wanted: ReadonlyMap<string, Pod> = new Map()
  /** Mirrors in the API by full name. */
  private readonly shown = new Map<string, Pod>()
  private timer: Timer | undefined = undefined
  private tryAgainMs = FIRST_TRY_AGAIN_MS

  constructor(env: Env, work: PodWorkers, node: () => Node | undefined) {
    this.env = env
    this.work = work
    this.node = node
    this.client = new MirrorPods(env)
  }

  /** Sets the manifests. An invalid one is skipped. */
  set(manifests: ReadonlyArray<StaticPodManifest>): void {
    const wanted = new Map<string, Pod>()
    for (const manifest of manifests) {
      guarded(this.env.timers, "static pod", () => {
        const made = staticPodOf(manifest, this.env.name, this.env.wallTime())
        if (Result.isSuccess(made)) wanted.set(fullName(made.success), made.success)
      })
    }
    this.wanted = wanted
    this.takeOver()
    this.sync()
  }

  /** Takes over mirrors that were treated as pods before any manifests were set. */
  private takeOver(): void {
    for (const record of [...this.work.records.values()]) {
      if (record instanceof StaticPodRecord || !record.present || !isMirrorPod(record.pod)) continue
      this.shown.set(fullName(record.pod), record.pod)
      record.present = false
      this.work.attend(record)
    }
  }

  /** The kubelet's process starts. */
  start(): void {
    this.sync()
    for (const record of this.records()) this.work.attend(record)
  }

  stop(): void {
    this.client.stop()
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
    this.tryAgainMs = FIRST_TRY_AGAIN_MS
    for (const record of this.records()) record.asking = false
  }

  /** The API has this mirror. */
  seen(mirror: Pod): void {
    const known = this.shown.get(fullName(mirror))
    if (known !== undefined && known.metadata.uid === mirror.metadata.uid && isOlder(mirror, known)) return
    this.shown.set(fullName(mirror), mirror)
    const record = this.recordOf(mirror)
    if (record !== undefined) this.attend(record)
    else if (!this.wanted.has(fullName(mirror))) this.client.delete(mirror, () => {})
  }

  /** The API has no mirror with this uid any more. */
  unseen(uid: string): void {
    for (const [name, mirror] of this.shown) {
      if (mirror.metadata.uid !== uid) continue
      this.shown.delete(name)
      const record = this.recordOf(mirror)
      if (record === undefined) continue
      if (record.mirror?.metadata.uid === uid) record.mirror = undefined
      this.attend(record)
    }
  }

  /** After a list: these are all existing mirrors. */
  only(uids: ReadonlySet<string>): void {
    for (const { metadata } of [...this.shown.values()]) {
      if (!uids.has(metadata.uid ?? "")) this.unseen(metadata.uid ?? "")
    }
  }

  /** Nothing of a pod is left: its mirror is deleted, and the pod of its current manifest starts. */
  gone(): void {
    this.sync()
  }

  /** Makes the API show the pod. */
  attend(record: StaticPodRecord): void {
    if (!this.work.isActive || !record.present || record.asking) return
    const shown = this.shown.get(fullName(record.pod))
    if (shown === undefined) {
      this.create(record)
      return
    }
    if (mirrors(shown, record.pod) && shown.metadata.deletionTimestamp === undefined) {
      if (record.mirror === shown) return
      this.tryAgainMs = FIRST_TRY_AGAIN_MS
      const isNew = record.mirror?.metadata.uid !== shown.metadata.uid
      record.mirror = shown
      if (isNew) this.work.tell(record)
      else if (shown.status !== record.status) this.work.differs(record)
      return
    }
    record.mirror = undefined
    record.asking = true
    this.client.delete(shown, () => {
      record.asking = false
      if (this.shown.get(fullName(record.pod)) === shown) this.shown.delete(fullName(record.pod))
      this.attend(record)
    })
  }

  private create(record: StaticPodRecord): void {
    const uid = this.node()?.metadata.uid
    if (uid === undefined) {
      this.later()
      return
    }
    record.asking = true
    this.client.create(record.pod, uid, (mirror) => {
      record.asking = false
      if (mirror !== undefined) this.seen(mirror)
      else this.later()
    })
  }

  /** The Node is not known yet, or the API refuses the mirror: retries, with a growing delay. */
  private later(): void {
    if (this.timer !== undefined) return
    this.timer = this.env.timers.after(this.tryAgainMs, () => {
      this.timer = undefined
      this.tryAgainMs = Math.min(this.tryAgainMs * 2, LAST_TRY_AGAIN_MS)
      for (const record of this.records()) {
        if (record.mirror === undefined) this.work.guard(record, () => this.attend(record))
      }
    })
  }

  private sync(): void {
    if (!this.work.isActive) return
    const held = new Set<string>()
    for (const record of this.records()) {
      const name = fullName(record.pod)
      held.add(name)
      if (this.wanted.get(name)?.metadata.uid === record.pod.metadata.uid) continue
      record.present = false
      this.work.attend(record)
      if (!this.work.records.has(record.pod.metadata.uid ?? "")) held.delete(name)
    }
    for (const [name, mirror] of this.shown) {
      if (!held.has(name) && !this.wanted.has(name)) this.client.delete(mirror, () => {})
    }
    for (const [name, pod] of this.wanted) {
      if (held.has(name) || this.work.records.has(pod.metadata.uid ?? "")) continue
      const mirror = this.shown.get(name)
      // Its containers may have been started before this kubelet's process.
      const ran = mirror?.status?.phase === "Running" && mirrors(mirror, pod) ? mirror.status : pod.status
      const record = new StaticPodRecord(this.work, ran === undefined ? pod : { ...pod, status: ran }, this)
      this.work.records.set(pod.metadata.uid ?? "", record)
      this.work.attend(record)
    }
  }

  private recordOf(mirror: Pod): StaticPodRecord | undefined {
    const name = fullName(mirror)
    return this.records().find(({ pod }) => fullName(pod) === name)
  }

  private records(): ReadonlyArray<StaticPodRecord> {
    const out: Array<StaticPodRecord> = []
    for (const record of this.work.records.values()) if (record instanceof StaticPodRecord) out.push(record)
    return out
  }
}
