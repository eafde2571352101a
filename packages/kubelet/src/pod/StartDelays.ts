import { formatDuration, type Pod } from "@rollcall/api"
import { pullBackOffMessage } from "../images/ImageManager.ts"
import { isFailedPull } from "../images/pullFailure.ts"
import type { Env } from "../internal/Env.ts"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import { type Containers, containerBacksOff, containerWaits } from "./Containers.ts"
import { type CrashLoopLimits, crashLoopLimits, decideRestart } from "./CrashLoopBackOff.ts"
import { recordContainerEvent, recordPullBackOff } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"

/** The kubelet syncs a pod again soon after a failed pull, and then reports the back-off. */
const PULL_BACKOFF_SHOWS_AFTER_MS = 1_000

/** A wait before a container is started. */
interface StartDelay {
  /** The pod's containers, with the status of the one that waits. */
  readonly containers: Containers
  /** When the container is looked at again: at the end of the wait, or when its status changes. */
  readonly untilMs: number
}

const nameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`

/** Decides how long containers wait before they are started again, and reports why. */
export class StartDelays {
  private readonly env: Env
  private readonly limits: CrashLoopLimits

  constructor(env: Env) {
    this.env = env
    this.limits = crashLoopLimits(env.config)
  }

  /** Returns the rest of a container's wait, or undefined if it may be started now. */
  of(
    record: PodRecord,
    lifecycle: PodLifecycle,
    tracked: ContainerLifecycle,
    containers: Containers
  ): StartDelay | undefined {
    switch (tracked.stage) {
      case "exited":
        return this.afterExit(record, tracked, containers)
      case "unpulled":
        return this.afterFailure(record, lifecycle, tracked, containers)
      default:
        return undefined
    }
  }

  private afterExit(record: PodRecord, tracked: ContainerLifecycle, containers: Containers): StartDelay | undefined {
    const { pod } = record
    const { name } = tracked.container
    const decision = decideRestart(tracked.crashes, tracked.endedAtMs, this.env.timers.now(), this.limits)
    if (decision.restart) {
      tracked.crashes = decision.record
      return undefined
    }
    const untilMs = decision.startNotBeforeMs
    const message = `back-off ${formatDuration(decision.backoffMs)} restarting failed container=${name} pod=${nameOf(pod)}`
    const status = record.statuses.find((candidate) => candidate.name === name)
    if (status?.state?.waiting?.message === message) return { containers, untilMs }
    const eventText = `Back-off restarting failed container ${name} in pod ${nameOf(pod)}`
    recordContainerEvent(this.env.recorder, pod, tracked.container, tracked.isInit, "Warning", "BackOff", eventText)
    return { containers: containerBacksOff(containers, name, "CrashLoopBackOff", message), untilMs }
  }

  private afterFailure(
    record: PodRecord,
    { pulls }: PodLifecycle,
    tracked: ContainerLifecycle,
    containers: Containers
  ): StartDelay | undefined {
    const { name, image = "" } = tracked.container
    const now = this.env.timers.now()
    if (now < tracked.retryAtMs) return { containers, untilMs: tracked.retryAtMs }
    const backOff = pulls.get(image)
    if (backOff === undefined) return undefined
    const untilMs = backOff.decidedAtMs + backOff.backoffMs
    const showsMs = backOff.decidedAtMs + PULL_BACKOFF_SHOWS_AFTER_MS
    if (now >= untilMs) return undefined
    if (now < showsMs) return { containers, untilMs: showsMs }
    const waiting = record.statuses.find((status) => status.name === name)?.state?.waiting
    if (!isFailedPull(waiting?.reason ?? "")) return { containers, untilMs }
    recordPullBackOff(this.env.recorder, record.pod, tracked.container, tracked.isInit)
    const message = pullBackOffMessage(image, backOff.message)
    return { containers: containerWaits(containers, name, "ImagePullBackOff", message), untilMs }
  }
}
