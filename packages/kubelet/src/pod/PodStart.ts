import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { Env } from "../internal/Env.ts"
import { isPlainPod } from "../runtime/isPlainPod.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { containersCreating, containersLost, containersStarted } from "./Containers.ts"
import type { PodRecord } from "./PodRecord.ts"
import { rejectedStatus } from "./PodStatusOf.ts"
import type { RuntimeManager } from "./RuntimeManager.ts"

/** Handles the result of a pod's admission: it is rejected, its containers run already, or they are started. */
export class PodStart {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager
  /** Created for the first pod that needs more than running. */
  private readonly loop: () => RuntimeManager

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, loop: () => RuntimeManager) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.loop = loop
  }

  reject(record: PodRecord, { message, reason }: PodRefusal): void {
    const { pod } = record
    record.stage = "rejected"
    record.status = rejectedStatus(pod, reason, message, this.env.wallTime())
    this.env.recorder?.event(pod, "Warning", reason, message)
    this.statusManager.syncPod(record)
  }

  /** The pod was admitted. */
  begin(record: PodRecord): void {
    const { pod } = record
    if (record.stage === "new" && this.runtime.runs(pod, record)) {
      this.adopt(record)
      return
    }
    // The API shows containers for the pod, but none runs here: they were lost.
    if (record.stage === "new" && pod.status?.containerStatuses !== undefined) record.status = pod.status
    const { containers } = this.runtime
    const isPlain = containers === undefined || isPlainPod(pod)
    const { stage } = record
    record.stage = "starting"
    try {
      if (isPlain) this.runtime.start(pod, record)
      else containers.startSandbox(pod, record)
    } catch (error) {
      // Nothing of it runs: it is admitted again when it is synced.
      record.stage = stage
      throw error
    }
    if (this.env.model.reportCreating) {
      const had = record.containers
      const creating = had.regular.length === 0 ? containersCreating(pod) : containersLost(had, this.env.wallTime())
      this.statusManager.setPodStatus(record, creating)
    }
    if (!isPlain) this.loop().begin(record)
  }

  /** The containers were started before this kubelet. */
  private adopt(record: PodRecord): void {
    const { pod } = record
    record.stage = "running"
    record.status = pod.status ?? record.status
    const ready = record.status.conditions?.some(({ status, type }) => type === "Ready" && status === "True")
    const had = record.containers
    if (ready !== true) {
      this.statusManager.setPodStatus(
        record,
        had.regular.length === 0 ? containersStarted(pod, had, this.env.wallTime()) : had
      )
    }
    if (this.runtime.containers !== undefined && !isPlainPod(pod)) this.loop().adopt(record)
  }
}
