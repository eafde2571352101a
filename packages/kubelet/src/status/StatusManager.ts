import type { Node, Pod, PodStatus } from "@rollcall/api"
import { type Answer, type ApiRequest, isConflict, isNotFound, keyOf } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { hostIPsOf } from "../node/HostIPs.ts"
import type { Containers } from "../pod/Containers.ts"
import { containersGivenUp } from "../pod/containersGivenUp.ts"
import { withDeviceHealth } from "../pod/deviceHealth.ts"
import { hasContainers } from "../pod/PodDecision.ts"
import { deadlineExceeded } from "../pod/PodKill.ts"
import { podPatch } from "../pod/PodPatch.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import { podStatusOf } from "../pod/PodStatusOf.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { finalDelete } from "./finalDelete.ts"

/** What the owner of the pods does for the status manager. */
interface StatusCallbacks {
  /** Syncs a pod, after the API has answered a request about it. */
  readonly sync: (record: PodRecord) => void
  /** Runs `act`. If it throws, the pod is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
}

/**
 * Computes pods' statuses from their containers, and writes them and final deletions to the API: at once when they
 * change, and again with the periodic comparison when a request failed or when another client changed the kubelet's
 * fields.
 *
 * Upstream reads each pod before it patches, to merge conditions; a strategic patch by condition type does not need
 * that. Upstream: pkg/kubelet/status/status_manager.go SetPodStatus, syncBatch, syncPod; pkg/kubelet/kubelet_pods.go
 * generateAPIPodStatus.
 */
export class StatusManager {
  /** Whether the kubelet's process runs; otherwise statuses are posted later. */
  isActive = false
  private readonly env: Env
  private readonly host: NodeHost
  private readonly runtime: PodRuntime
  private readonly node: () => Node | undefined
  private readonly callbacks: StatusCallbacks
  /** The pods to compare with the API at the next comparison. */
  private readonly queued = new Set<PodRecord>()
  private timer: Timer | undefined
  private startedAtMs = 0
  /** The number of the kubelet's process. Answers to requests of an earlier process are ignored. */
  private runNumber = 0

  constructor(env: Env, host: NodeHost, runtime: PodRuntime, node: () => Node | undefined, callbacks: StatusCallbacks) {
    this.env = env
    this.host = host
    this.runtime = runtime
    this.node = node
    this.callbacks = callbacks
  }

  start(): void {
    this.isActive = true
    this.startedAtMs = this.env.timers.now()
  }

  stop(): void {
    this.isActive = false
    this.runNumber++
    this.queued.clear()
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
  }

  /** Queues the pod for the next comparison with the API. */
  syncLater(record: PodRecord): void {
    this.queued.add(record)
    this.timer ??= this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** Delays a planned comparison to the next time of its period. */
  postpone(): void {
    if (this.timer === undefined) return
    this.env.timers.cancel(this.timer)
    this.timer = this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** Computes the pod's status from its containers, and posts it. */
  setPodStatus(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    this.take(record, this.statusOf(record, containers, podIP))
    this.postStatus(record)
  }

  /** Computes the pod's status from its containers. It is posted at the end of the pod's sync. */
  keepPodStatus(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    this.take(record, this.statusOf(record, containers, podIP))
    if (record.lifecycle !== undefined) record.lifecycle.holdsStatus = true
  }

  /** Takes the statuses of containers. With `isHeld` the end of the sync computes the conditions, and posts them. */
  containersChanged(record: PodRecord, containers: Containers, isHeld: boolean): void {
    if (!isHeld) {
      this.setPodStatus(record, containers)
      return
    }
    const { init, regular } = containers
    const inits = init.length === 0 ? {} : { initContainerStatuses: init }
    this.take(record, { ...record.status, ...inits, containerStatuses: regular })
    if (record.lifecycle !== undefined) record.lifecycle.holdsStatus = true
  }

  private take(record: PodRecord, status: PodStatus): void {
    // A process that has just started knows what the API shows.
    const before = record.status.phase === undefined ? (record.apiPod?.status ?? {}) : record.status
    this.env.lifeCounts.statusChanged(before, status)
    record.status = status
  }

  /** Posts the status that was computed last. */
  postStatus(record: PodRecord): void {
    if (record.lifecycle !== undefined) record.lifecycle.holdsStatus = false
    if (this.isActive) this.syncPod(record)
  }

  /** Reports that a pod is being stopped. One whose deadline has passed counts as failed at once. */
  reportStopping(record: PodRecord, isOverdue: boolean): void {
    const givenUp = containersGivenUp(record.pod, record.containers)
    if (isOverdue || givenUp !== undefined) this.setPodStatus(record, givenUp ?? record.containers)
    else this.reportGeneration(record)
  }

  /** Reports that the deletion of a pod, which changes its generation, was observed. */
  private reportGeneration(record: PodRecord): void {
    const { pod, present, status } = record
    if (!this.env.model.reportTerminal || !present || status.observedGeneration === pod.metadata.generation) return
    this.setPodStatus(record, record.containers)
  }

  /** Sends the part of the record's status that the API does not have. */
  syncPod(record: PodRecord): void {
    const { apiPod } = record
    if (record.sending || !record.isReported || apiPod === undefined || record.status.phase === undefined) return
    if (record.lifecycle?.holdsStatus === true) return
    const body = podPatch(apiPod, record.status)
    if (body === undefined) {
      record.status = apiPod.status ?? record.status
      return
    }
    const { name = "", namespace = "" } = apiPod.metadata
    const sent = record.status
    this.send(
      record,
      { verb: "patch", kind: "Pod", namespace, name, subresource: "status", patchType: "strategic", body },
      (pod) => {
        record.updateFromApi(pod)
        if (record.status === sent) record.status = pod.status ?? sent
        else this.syncPod(record)
      }
    )
  }

  /** Deletes the pod from the API, once nothing of it is left on the node. */
  delete(record: PodRecord): void {
    if (record.sending) return
    this.send(record, finalDelete(record.pod), () => {
      record.stage = "deleted"
    })
  }

  /**
   * Reads the pod after a conflict: the watch may not have shown its latest version yet. A pod of another uid is
   * ignored.
   */
  private readAndSync(record: PodRecord): void {
    const { name = "", namespace = "", resourceVersion, uid } = record.apiPod?.metadata ?? {}
    this.send(record, { verb: "get", kind: "Pod", namespace, name }, (pod) => {
      if (pod.metadata.uid !== uid) return
      record.updateFromApi(pod)
      if (pod.metadata.resourceVersion === resourceVersion) this.syncLater(record)
      else this.syncPod(record)
    })
  }

  /** Sends a request about a pod. The caller makes sure that none is in flight for this pod. */
  private send(record: PodRecord, request: ApiRequest, onPod: (pod: Pod) => void): void {
    const { runNumber } = this
    const onAnswer = (answer: Answer): void => {
      if (runNumber !== this.runNumber) return
      record.sending = false
      if (Result.isSuccess(answer)) {
        onPod(answer.success as Pod)
        this.callbacks.sync(record)
      } else if (isConflict(answer.failure) && request.verb === "patch") this.readAndSync(record)
      else if (!isNotFound(answer.failure) && !isConflict(answer.failure)) {
        this.logFailure(record, request, answer.failure.message)
        this.syncLater(record)
      }
      // Otherwise the pod was deleted, or another one has its name: the watch will show it.
    }
    record.sending = true
    try {
      this.env.connection.send(request, (answer) => this.callbacks.guard(record, () => onAnswer(answer)))
    } catch (error) {
      record.sending = false
      this.syncLater(record)
      throw error
    }
  }

  private logFailure({ pod }: PodRecord, { verb }: ApiRequest, err: string): void {
    const fields = { err, pod: keyOf(pod) }
    if (verb === "delete") this.env.log("info", "Failed to delete status for pod", fields)
    else this.env.log("error", `Failed to ${verb === "get" ? "get" : "update"} status for pod`, fields)
  }

  private statusOf(record: PodRecord, containers: Containers, podIP: string | undefined): PodStatus {
    const { pod, stage, status } = record
    const hostIPs = hostIPsOf(this.node()?.status?.addresses ?? this.host.machine().addresses)
    return podStatusOf(pod, {
      containers: this.env.config.featureGates.ResourceHealthStatus
        ? withDeviceHealth(containers, pod, this.runtime)
        : containers,
      previous: status,
      sandbox: stage === "running" || (stage === "stopping" && record.present && podIP !== undefined),
      mayRun: hasContainers(stage),
      terminating: stage === "stopped",
      killed: stage === "stopped" ? record.ending?.kill : undefined,
      failing: stage === "stopping" && record.ending?.kill === deadlineExceeded,
      hostIPs,
      podIP: pod.spec.hostNetwork === true ? hostIPs[0]?.ip : podIP,
      now: this.env.wallTime(),
      resize: record.resize,
      gates: this.env.config.featureGates,
      restartsAll: record.lifecycle?.restartsAll === true
    })
  }

  private nextComparisonMs(): number {
    const { model, timers } = this.env
    const now = timers.now()
    if (model.podSyncFromChange) return now + model.podSyncMs
    const periods = Math.floor((now - this.startedAtMs) / model.podSyncMs) + 1
    return this.startedAtMs + periods * model.podSyncMs
  }

  private readonly syncBatch = (): void => {
    this.timer = undefined
    const queued = [...this.queued]
    this.queued.clear()
    for (const record of queued) {
      this.callbacks.guard(record, () => {
        this.syncPod(record)
        this.callbacks.sync(record)
      })
    }
  }
}
