import { getPodCondition, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import { isOpenToAll } from "../images/ImageAccess.ts"
import { fullImageName } from "../images/imageName.ts"
import type { Env } from "../internal/Env.ts"
import { isPlainPod } from "../runtime/isPlainPod.ts"
import type { ImageService, PodRuntime } from "../runtime/PodRuntime.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { containersCreating, containersLost, containersStarted } from "./Containers.ts"
import { recordLostSandbox } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { rejectedStatus } from "./PodStatusOf.ts"
import type { RuntimeManager } from "./RuntimeManager.ts"
import { countSandbox } from "./userNamespaces.ts"

/** Whether a sandbox of the pod has been made before: that of a machine that has lost its power is of no use. */
const hadSandbox = ({ pod, stage }: PodRecord): boolean =>
  stage === "lost" || pod.status?.containerStatuses?.some(({ containerID = "" }) => containerID !== "") === true

/** Carries out the result of a pod's admission: rejects it, takes over containers that run already, or starts them. */
export class PodStart {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager
  /** Returns the RuntimeManager, which is created for the first pod that needs more than to be started. */
  private readonly runtimeManager: () => RuntimeManager

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, runtimeManager: () => RuntimeManager) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.runtimeManager = runtimeManager
  }

  /** Writes the status and the Event of a pod that was refused at admission. */
  reject(record: PodRecord, { message, reason }: PodRefusal): void {
    const { pod } = record
    record.stage = "rejected"
    record.status = rejectedStatus(pod, reason, message, this.env.wallTime(), this.env.config.featureGates)
    this.env.recorder?.event(pod, "Warning", reason, message)
    this.statusManager.syncPod(record)
  }

  /** Starts the containers of an admitted pod, unless they run already. */
  begin(record: PodRecord): void {
    const { pod } = record
    if (record.stage === "new" && this.takeOver(record)) return
    // The API shows containers for the pod, but none runs here: they were lost.
    if (record.stage === "new" && pod.status?.containerStatuses !== undefined) record.status = pod.status
    const { containers } = this.runtime
    const isPlain = containers === undefined || (isPlainPod(pod) && this.hasImages(pod, containers.images))
    const { stage } = record
    if (hadSandbox(record)) recordLostSandbox(this.env.recorder, pod)
    record.stage = "starting"
    try {
      if (isPlain) this.runtime.start(pod, record)
      else containers.startSandbox(pod, record)
      countSandbox(this.env, pod)
      if (isPlain) this.env.lifeCounts.add("started_containers_total", ["container"], pod.spec.containers.length)
    } catch (error) {
      // Nothing of the pod runs: it is admitted again when it is synced.
      record.stage = stage
      throw error
    }
    if (this.env.model.reportCreating) {
      const previous = record.containers
      const creating =
        previous.regular.length === 0 ? containersCreating(pod) : containersLost(previous, this.env.wallTime())
      this.statusManager.setPodStatus(record, creating)
    }
    if (!isPlain) this.runtimeManager().begin(record)
  }

  /** Whether all images of a pod are on the node, and for all pods. */
  private hasImages(pod: Pod, images: ImageService | undefined): boolean {
    const { config, pullRecords } = this.env
    if (images?.mustPull(pod) === true) return false
    if (images?.listImages?.() === undefined) return true
    return pod.spec.containers.every(({ image = "" }) => {
      const ref = Result.getOrElse(fullImageName(image), () => image)
      return image === "" || isOpenToAll(config, pullRecords, { image, ref })
    })
  }

  /** Takes over containers that were started before this kubelet, if the pod has any. */
  takeOver(record: PodRecord): boolean {
    const { pod } = record
    if (!this.runtime.runs(pod, record)) return false
    record.stage = "running"
    record.status = pod.status ?? record.status
    const previous = record.containers
    if (getPodCondition(record.status, "Ready")?.status !== "True") {
      this.statusManager.setPodStatus(
        record,
        previous.regular.length === 0 ? containersStarted(pod, previous, this.env.wallTime()) : previous
      )
    }
    const hasEnded = record.statuses.some(({ state }) => state?.running === undefined)
    if (this.runtime.containers !== undefined && (hasEnded || !isPlainPod(pod))) this.runtimeManager().adopt(record)
    return true
  }
}
