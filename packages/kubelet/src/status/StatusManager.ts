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

/** Who sees what follows from a new view of a pod. */
interface Attendant {
  readonly attend: (record: PodRecord) => void
  readonly guard: (record: PodRecord, act: () => void) => void
}

/**
 * Works pods' statuses out from their containers, and brings them and final deletes to the API: at once when they change, again with
 * the periodic comparison when that failed or when somebody else changed what is the kubelet's.
 *
 * Upstream reads each pod before it patches, to merge conditions; a strategic patch by condition type does that without.
 * Upstream: pkg/kubelet/status/status_manager.go SetPodStatus, syncBatch, syncPod; pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
 */
export class StatusManager {
  /** The kubelet's process is there; without it, what happened is posted later. */
  isActive = false
  private readonly env: Env
  private readonly host: NodeHost
  private readonly node: () => Node | undefined
  private readonly work: Attendant
  private readonly owed = new Set<PodRecord>()
  private timer: Timer | undefined
  private startedAtMs = 0
  private turn = 0

  constructor(env: Env, host: NodeHost, node: () => Node | undefined, work: Attendant) {
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

  /** The pod is to be looked at with the next comparison. */
  later(record: PodRecord): void {
    this.owed.add(record)
    this.timer ??= this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** The time of the comparison is counted anew from now. */
  postpone(): void {
    if (this.timer === undefined) return
    this.env.timers.cancel(this.timer)
    this.timer = this.env.timers.at(this.nextComparisonMs(), this.syncBatch)
  }

  /** The pod's status follows from its containers: posts it. */
  setPodStatus(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    record.status = this.statusOf(record, containers, podIP)
    if (this.isActive) this.syncPod(record)
  }

  /** Sends what the API does not have of the record's status. */
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

  /** The final delete, once nothing of the pod is left on the node. */
  delete(record: PodRecord): void {
    if (record.sending) return
    this.ask(record, finalDelete(record.pod), () => {
      record.stage = "deleted"
    })
  }

  /** The watch is behind: what the API has is read, and compared. Another pod that has the name now is none of this one's. */
  private read(record: PodRecord): void {
    const { name = "", namespace = "", resourceVersion, uid } = record.apiPod?.metadata ?? {}
    this.ask(record, { verb: "get", kind: "Pod", namespace, name }, (pod) => {
      if (pod.metadata.uid !== uid) return
      record.shown(pod)
      if (pod.metadata.resourceVersion === resourceVersion) this.later(record)
      else this.syncPod(record)
    })
  }

  /** One request a pod at a time. */
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
      // Otherwise this pod is gone, or another has its name: the watch will tell.
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
