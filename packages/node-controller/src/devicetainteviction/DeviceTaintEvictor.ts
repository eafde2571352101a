import { keyOf, type Pod, type ResourceClaim, type ResourceSlice } from "@rollcall/api"
import type { EventRecorder, Informer, InformerHandler, WorkQueue } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { DevicePools, type PoolChange } from "./DevicePools.ts"
import { type AllocatedClaim, claimDueMs, podDueMs } from "./deviceEvictionTime.ts"

/** The most pods that are remembered as evicted. Upstream: maxUIDCacheEntries. */
const MAX_EVICTED = 500

export interface DeviceTaintEvictorParts {
  readonly timers: Pick<TimersShape, "now">
  readonly pods: Pick<Informer<"Pod">, "find">
  readonly recorder: Pick<EventRecorder, "event">
  /** Gets the key of each pod when its time has come. */
  readonly queue: Pick<WorkQueue<string>, "addAfter">
}

/** A pod that is to go: not another one of its name. */
export interface DoomedPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** When it is due, in milliseconds since the Unix epoch. */
  readonly dueMs: number
}

export const REASON = "DeviceTaintManagerEviction"

/** The reference by which Events name the pod. */
export const referenceTo = ({ name, namespace, uid }: DoomedPod) => ({
  apiVersion: "v1",
  kind: "Pod",
  name,
  namespace,
  uid
})

const refOf = ({ metadata: { name = "", namespace = "", uid = "" } }: Pod): string => `${namespace}/${name}/${uid}`

const usesDevice = ({ status }: ResourceClaim, { devices, driver, pool }: PoolChange): boolean =>
  (status?.allocation?.devices?.results ?? []).some(
    (result) => result.driver === driver && result.pool === pool && devices.has(result.device)
  )

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)

/**
 * Schedules and cancels the evictions of pods as the taints of devices, claims and pods change. Plain code: it makes no
 * requests and never waits. Upstream: the handle… methods of pkg/controller/devicetainteviction/device_taint_eviction.go.
 */
export class DeviceTaintEvictor {
  private readonly parts: DeviceTaintEvictorParts
  private readonly pools = new DevicePools()
  private readonly claims = new Map<string, AllocatedClaim>()
  private readonly doomed = new Map<string, DoomedPod>()
  private readonly evicted = new Set<string>()

  constructor(parts: DeviceTaintEvictorParts) {
    this.parts = parts
  }

  readonly sliceHandler: InformerHandler<ResourceSlice> = {
    onAdd: (slice) => this.poolChanged(this.pools.set(slice)),
    onUpdate: (before, slice) => {
      if (before.spec.driver !== slice.spec.driver || before.spec.pool.name !== slice.spec.pool.name)
        this.poolChanged(this.pools.remove(before))
      this.poolChanged(this.pools.set(slice))
    },
    onDelete: (slice) => this.poolChanged(this.pools.remove(slice))
  }

  readonly claimHandler: InformerHandler<ResourceClaim> = {
    onAdd: (claim) => this.setClaim(undefined, claim),
    onUpdate: (before, claim) => {
      if (before.metadata.uid !== claim.metadata.uid) this.removeClaim(before)
      this.setClaim(before, claim)
    },
    onDelete: (claim) => this.removeClaim(claim)
  }

  readonly podHandler: InformerHandler<Pod> = {
    onAdd: (pod) => this.judge(pod),
    onUpdate: (before, pod) => {
      const isUnchanged =
        before.spec.nodeName === pod.spec.nodeName &&
        isSame(before.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses)
      if (!isUnchanged) this.judge(pod)
    },
    onDelete: (pod) => void this.doomed.delete(refOf(pod))
  }

  /** The eviction of this key of the queue; undefined if there is nothing to do any more. */
  pending(key: string): DoomedPod | undefined {
    const pod = this.doomed.get(key)
    return pod === undefined || this.evicted.has(pod.uid) ? undefined : pod
  }

  /** Reports that the pod has been deleted, or is gone. */
  finished(key: string, { uid }: DoomedPod): void {
    this.doomed.delete(key)
    this.evicted.add(uid)
    const [oldest] = this.evicted
    if (this.evicted.size > MAX_EVICTED && oldest !== undefined) this.evicted.delete(oldest)
  }

  private allocated(claim: ResourceClaim): AllocatedClaim {
    return { claim, dueMs: claimDueMs(claim, (...device) => this.pools.taintsOf(...device)) }
  }

  private poolChanged(change: PoolChange): void {
    if (change.devices.size === 0) return
    for (const [key, { claim, dueMs }] of this.claims) {
      if (!usesDevice(claim, change)) continue
      const now = this.allocated(claim)
      this.claims.set(key, now)
      if (now.dueMs !== dueMs) this.judgeConsumers(claim)
    }
  }

  private setClaim(before: ResourceClaim | undefined, claim: ResourceClaim): void {
    if (claim.status?.allocation === undefined) this.claims.delete(keyOf(claim))
    else this.claims.set(keyOf(claim), this.allocated(claim))
    if (before !== undefined && !isSame(before.status?.reservedFor, claim.status?.reservedFor))
      this.judgeConsumers(before)
    this.judgeConsumers(claim)
  }

  private removeClaim(claim: ResourceClaim): void {
    this.claims.delete(keyOf(claim))
    this.judgeConsumers(claim)
  }

  private judgeConsumers({ metadata: { namespace = "" }, status }: ResourceClaim): void {
    for (const { apiGroup = "", name, resource, uid } of status?.reservedFor ?? []) {
      if (apiGroup !== "" || resource !== "pods") continue
      const pod = this.parts.pods.find(name, namespace)
      if (pod?.metadata.uid === uid) this.judge(pod)
    }
  }

  private judge(pod: Pod): void {
    const { queue, recorder, timers } = this.parts
    const { name = "", namespace = "", uid = "" } = pod.metadata
    const key = refOf(pod)
    const dueMs = podDueMs(pod, (claim) => this.claims.get(`${namespace}/${claim}`))
    if (dueMs !== undefined) {
      this.doomed.set(key, { namespace, name, uid, dueMs })
      queue.addAfter(key, dueMs - timers.now())
      return
    }
    const cancelled = this.doomed.get(key)
    if (cancelled === undefined) return
    this.doomed.delete(key)
    recorder.event(referenceTo(cancelled), "Normal", REASON, "Cancelling deletion")
  }
}
