import type { Container } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import { probeWhileStopping } from "../prober/probeWhileStopping.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { isDoneInit } from "./ContainerLifecycle.ts"
import { type ContainerExit, containerExited } from "./Containers.ts"
import { recordStop } from "./PodEvents.ts"
import type { PodKill } from "./PodKill.ts"
import type { PodRecord } from "./PodRecord.ts"
import { watchPreStop } from "./PreStop.ts"
import { effectiveGrace } from "./TerminationGrace.ts"

const MIN_TIMEOUT_SECONDS = 10

/**
 * Returns how long a kill waits for the pod to stop before it is reported as timed out, in seconds. Upstream:
 * pkg/kubelet/pod_workers.go killPodNow.
 */
export const killTimeoutSeconds = (graceSeconds: number): number =>
  Math.max(MIN_TIMEOUT_SECONDS, graceSeconds + Math.floor(graceSeconds / 2))

/**
 * Terminates pods: on a deletion in the API or by the kubelet's own decision.
 */
export class PodTermination {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
  }

  /** Terminates a pod that was deleted in the API, or whose containers must stop for another reason. */
  terminate(record: PodRecord): void {
    this.begin(record, undefined)
  }

  /** Terminates a pod with containers by the kubelet's own decision, and calls `kill.done` when it has stopped. */
  kill(record: PodRecord, kill: PodKill): void {
    this.begin(record, kill.graceSeconds)
    const { ending } = record
    if (ending === undefined) return
    ending.kill = kill
    const { done } = kill
    if (done === undefined) return
    const graceSeconds = kill.graceSeconds ?? record.pod.spec.terminationGracePeriodSeconds ?? 0
    const timer = this.env.timers.after(killTimeoutSeconds(graceSeconds) * 1000, () => {
      ending.waiters = ending.waiters.filter((waiter) => waiter.timer !== timer)
      const message = "Container runtime did not kill the pod within specified grace period."
      this.env.recorder?.event(record.pod, "Warning", "ExceededGracePeriod", message)
      done("timedOut")
    })
    ending.waiters = [...ending.waiters, { done, timer }]
  }

  /** Handles that a container has stopped. It is reported once all have. Upstream: kubelet.go SyncTerminatingPod. */
  containerExited(record: PodRecord, exit: ContainerExit): void {
    const tracked = record.lifecycle?.of(exit.name)
    if (tracked !== undefined) tracked.probes = []
    const { containers } = record
    const isDone = tracked !== undefined && isDoneInit(tracked, exit.exitCode)
    this.statusManager.keepPodStatus(record, containerExited(containers, exit, this.env.wallTime(), isDone))
  }

  /** Calls the waiting callbacks, when nothing of the pod runs any more. */
  stopped(record: PodRecord): void {
    const { lifecycle } = record
    if (lifecycle?.timer !== undefined) this.env.timers.cancel(lifecycle.timer)
    const waiters = record.ending?.waiters ?? []
    this.abandon(record)
    for (const { done } of waiters) done("stopped")
  }

  /** Drops the waiting callbacks without calling them. */
  abandon({ ending }: PodRecord): void {
    if (ending === undefined) return
    for (const { timer } of ending.waiters) this.env.timers.cancel(timer)
    ending.waiters = []
  }

  private begin(record: PodRecord, overrideSeconds: number | undefined): void {
    const { metadata, spec } = record.pod
    const grace = effectiveGrace({
      previousSeconds: 0,
      deletionSeconds: metadata.deletionGracePeriodSeconds,
      overrideSeconds,
      specSeconds: spec.terminationGracePeriodSeconds
    })
    const { stage } = record
    // A stop in progress is not interrupted: a shorter grace period comes too late for it (kubernetes/kubernetes#113606).
    if (stage === "stopping") return
    record.stage = "stopping"
    record.ending = { graceSeconds: grace.seconds, kill: undefined, waiters: [] }
    try {
      const { pod, status } = record
      this.runtime.stop(status.phase === undefined ? pod : { ...pod, status }, grace.seconds, record)
    } catch (error) {
      // The runtime has not been told to stop the pod: that happens when the pod is synced again.
      record.stage = stage
      record.ending = undefined
      throw error
    }
    this.begun(record, grace.seconds)
  }

  private begun(record: PodRecord, graceSeconds: number): void {
    const { env, runtime, statusManager } = this
    const { containers, initContainers = [] } = record.pod.spec
    recordStop(env.recorder, record)
    const runs = ({ name }: Container) =>
      record.statuses.some((status) => status.name === name && status.state?.running !== undefined)
    for (const container of [...containers, ...initContainers].filter(runs)) {
      const isInit = initContainers.includes(container)
      watchPreStop(env, runtime, record, { container, isInit, graceSeconds }, statusManager)
    }
    probeWhileStopping(env, runtime, record, (after) => statusManager.setPodStatus(record, after))
  }
}
