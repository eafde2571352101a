import { formatDuration, type Pod } from "@rollcall/api"
import { pullBackOffMessage } from "../images/ImageManager.ts"
import { isBackingOff } from "../images/PullBackOff.ts"
import type { Env } from "../internal/Env.ts"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import { type Containers, containerBacksOff, containerWaits } from "./Containers.ts"
import { type CrashLoopLimits, crashLoopLimits, decideRestart } from "./CrashLoopBackOff.ts"
import { recordContainerEvent, recordPullBackOff } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { backOffDelayMs, retryDelayMs } from "./PodRetries.ts"

/** The next relist of the runtime, which shows what has changed since the last. Upstream: pkg/kubelet/pleg/generic.go. */
const RELIST_MS = 1_000

/** Whether a container may be started. */
interface StartDelay {
  /** The pod's containers, with the status of this one as the sync shows it. */
  readonly containers: Containers
  /** When the pod is synced again for it; undefined if it may be started now. */
  readonly untilMs: number | undefined
}

const nameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`

/** Shows why an earlier sync has not started a container. */
const withReason = (tracked: ContainerLifecycle, before: Containers): Containers => {
  const { container, reason: failure, stage } = tracked
  if (failure === undefined) return before
  const shown = before.regular.concat(before.init).find(({ name }) => name === container.name)?.state?.waiting
  const { message, reason } = failure
  if (shown?.reason === reason && shown.message === message) return before
  const show = stage === "exited" ? containerBacksOff : containerWaits
  return show(before, container.name, reason, message)
}

/** Decides how long containers wait before they are started again, and reports why. */
export class StartDelays {
  private readonly env: Env
  private readonly limits: CrashLoopLimits

  constructor(env: Env) {
    this.env = env
    this.limits = crashLoopLimits(env.config)
  }

  /** Returns a pod's containers with the reasons why those that wait have not been started. */
  shown({ containers: all }: PodLifecycle, containers: Containers): Containers {
    return all.reduce((shown, tracked) => withReason(tracked, shown), containers)
  }

  /** Returns the rest of a container's wait. */
  of(record: PodRecord, lifecycle: PodLifecycle, tracked: ContainerLifecycle, containers: Containers): StartDelay {
    switch (tracked.stage) {
      case "exited":
        return this.afterExit(record, tracked, containers)
      case "unpulled":
        return this.afterFailure(record, lifecycle, tracked, containers)
      default:
        return { containers, untilMs: undefined }
    }
  }

  /** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; pkg/kubelet/kubelet_pods.go, reasonCache. */
  private afterExit(record: PodRecord, tracked: ContainerLifecycle, before: Containers): StartDelay {
    const now = this.env.timers.now()
    if (now < tracked.retryAtMs) return { containers: before, untilMs: tracked.retryAtMs }
    if (tracked.endedBeforeMs !== undefined && this.restartsInSameSync(record, tracked, tracked.endedBeforeMs))
      return { containers: before, untilMs: undefined }
    const containers = withReason(tracked, before)
    const decision = decideRestart(tracked.crashes, tracked.endedAtMs, now, this.limits)
    if (decision.restart) {
      tracked.crashes = decision.record
      tracked.reason = undefined
      return { containers, untilMs: undefined }
    }
    this.recordBackOff(record, tracked, decision.backoffMs)
    const leftMs = decision.startNotBeforeMs - now
    const delayMs = tracked.isSeenTwice ? RELIST_MS : backOffDelayMs(this.env, leftMs, this.env.config.syncFrequencyMs)
    tracked.isSeenTwice = false
    tracked.retryAtMs = now + delayMs
    return { containers, untilMs: tracked.retryAtMs }
  }

  /**
   * Whether the sync that has stopped a container starts it again. It knows only when the run before ended, if there was
   * one. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff.
   */
  private restartsInSameSync(record: PodRecord, tracked: ContainerLifecycle, endedBeforeMs: number): boolean {
    tracked.endedBeforeMs = undefined
    if (endedBeforeMs === Number.NEGATIVE_INFINITY) return true
    const decision = decideRestart(tracked.crashes, endedBeforeMs, this.env.timers.now(), this.limits)
    if (decision.restart) tracked.crashes = decision.record
    else this.recordBackOff(record, tracked, decision.backoffMs)
    return decision.restart
  }

  private recordBackOff({ pod }: PodRecord, tracked: ContainerLifecycle, backOffMs: number): void {
    const { container, isInit } = tracked
    const text = `Back-off restarting failed container ${container.name} in pod ${nameOf(pod)}`
    recordContainerEvent(this.env.recorder, pod, container, isInit, "Warning", "BackOff", text)
    const wait = `back-off ${formatDuration(backOffMs)} restarting failed container=${container.name}`
    tracked.reason = { reason: "CrashLoopBackOff", message: `${wait} pod=${nameOf(pod)}` }
  }

  private afterFailure(
    record: PodRecord,
    { pulls }: PodLifecycle,
    tracked: ContainerLifecycle,
    before: Containers
  ): StartDelay {
    const { image = "" } = tracked.container
    const now = this.env.timers.now()
    if (now < tracked.retryAtMs) return { containers: before, untilMs: tracked.retryAtMs }
    const containers = withReason(tracked, before)
    const backOff = pulls.get(image)
    if (backOff === undefined || !isBackingOff(backOff, now)) return { containers, untilMs: undefined }
    recordPullBackOff(this.env.recorder, record.pod, tracked.container, tracked.isInit)
    tracked.reason = { reason: "ImagePullBackOff", message: pullBackOffMessage(image, backOff.message) }
    tracked.retryAtMs = now + retryDelayMs(this.env)
    return { containers, untilMs: tracked.retryAtMs }
  }
}
