import type { Node, Pod, PodStatus } from "@rollcall/api"
import { type Answer, type ApiRequest, isConflict, isNotFound, keyOf } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { hostIPsOf } from "../node/HostIPs.ts"
import type { Containers } from "../pod/Containers.ts"
import { podPatch } from "../pod/PodPatch.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import { podStatusOf } from "../pod/PodStatusOf.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { finalDelete } from "./finalDelete.ts"

/** Callbacks for new versions of a pod. */
interface StatusCallbacks {
  readonly attend: (record: PodRecord) => void
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
  private readonly node: () => Node | undefined
  private readonly work: StatusCallbacks
  private readonly owed = new Set<PodRecord>()
  private timer: Timer | undefined
  private startedAtMs = 0
  private turn = 0

  constructor(env: Env, host: NodeHost, node: () => Node | undefined, work: StatusCallbacks) {
    this.env = env
    this.host = host
    this.node = node
    this.work = work
  }

  start(): void {
    this.isActive = true
    this.startedAtMs = this.env.timers.now()
  }

  stop(): void {
    this.isActive = false
    this.turn++
    this.owed.clear()
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
  }

  /** Queues the pod for the next comparison. */
  later(record: PodRecord): void {
    this.owed.add(record)
    this.timer ??= this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** Restarts the period of the comparison. */
  postpone(): void {
    if (this.timer === undefined) return
    this.env.timers.cancel(this.timer)
    this.timer = this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** Computes the pod's status from its containers, and posts it. */
  setPodStatus(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    record.status = this.statusOf(record, containers, podIP)
    if (this.isActive) this.syncPod(record)
  }

  /** Sends the part of the record's status that the API does not have. */
  syncPod(record: PodRecord): void {
    const { apiPod } = record
    if (record.sending || !record.present || apiPod === undefined || record.status.phase === undefined) return
    const body = podPatch(apiPod, record.status)
    if (body === undefined) {
      record.status = apiPod.status ?? record.status
      return
    }
    const { name = "", namespace = "" } = apiPod.metadata
    const sent = record.status
    this.ask(
      record,
      { verb: "patch", kind: "Pod", namespace, name, subresource: "status", patchType: "strategic", body },
      (pod) => {
        record.shown(pod)
        if (record.status === sent) record.status = pod.status ?? sent
        else this.syncPod(record)
      }
    )
  }

  /** The final deletion, once nothing of the pod is left on the node. */
  delete(record: PodRecord): void {
    if (record.sending) return
    this.ask(record, finalDelete(record.pod), () => {
      record.stage = "deleted"
    })
  }

  /** The watch lags behind: reads the pod, and compares. Another pod with the same name is ignored. */
  private read(record: PodRecord): void {
    const { name = "", namespace = "", resourceVersion, uid } = record.apiPod?.metadata ?? {}
    this.ask(record, { verb: "get", kind: "Pod", namespace, name }, (pod) => {
      if (pod.metadata.uid !== uid) return
      record.shown(pod)
      if (pod.metadata.resourceVersion === resourceVersion) this.later(record)
      else this.syncPod(record)
    })
  }

  /** At most one request per pod at a time. */
  private ask(record: PodRecord, request: ApiRequest, listen: (pod: Pod) => void): void {
    const { turn } = this
    const answered = (answer: Answer): void => {
      if (turn !== this.turn) return
      record.sending = false
      if (Result.isSuccess(answer)) {
        listen(answer.success as Pod)
        this.work.attend(record)
      } else if (isConflict(answer.failure) && request.verb === "patch") this.read(record)
      else if (!isNotFound(answer.failure) && !isConflict(answer.failure)) {
        this.tell(record, request, answer.failure.message)
        this.later(record)
      }
      // Otherwise the pod was deleted, or another one has its name: the watch will show it.
    }
    record.sending = true
    try {
      this.env.connection.send(request, (answer) => this.work.guard(record, () => answered(answer)))
    } catch (error) {
      record.sending = false
      this.later(record)
      throw error
    }
  }

  private tell({ pod }: PodRecord, { verb }: ApiRequest, err: string): void {
    const fields = { err, pod: keyOf(pod) }
    if (verb === "delete") this.env.log("info", "Failed to delete status for pod", fields)
    else this.env.log("error", `Failed to ${verb === "get" ? "get" : "update"} status for pod`, fields)
  }

  private statusOf(record: PodRecord, containers: Containers, podIP: string | undefined): PodStatus {
    const { pod, stage, status } = record
    const hostIPs = hostIPsOf(this.node()?.status?.addresses ?? this.host.machine().addresses)
    return podStatusOf(pod, {
      containers,
      previous: status,
      sandbox: stage === "running" || (stage === "stopping" && podIP !== undefined),
      terminating: stage === "stopped",
      killed: stage === "stopped" ? record.ending?.kill : undefined,
      hostIPs,
      podIP: pod.spec.hostNetwork === true ? hostIPs[0]?.ip : podIP,
      now: this.env.wallTime(),
      gates: this.env.config.featureGates
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
    const owed = [...this.owed]
    this.owed.clear()
    for (const record of owed) {
      this.work.guard(record, () => {
        this.syncPod(record)
        this.work.attend(record)
      })
    }
  }
}
