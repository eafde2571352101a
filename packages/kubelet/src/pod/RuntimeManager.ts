import { formatDuration, formatTime, type Pod, parseTime } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import { ProbeManager } from "../prober/ProbeManager.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { type ContainerLifecycle, lifecycleFromStatuses, PodLifecycle } from "./ContainerLifecycle.ts"
import { isSidecar } from "./ContainerRestart.ts"
import { type Containers, containerBacksOff, containerExited, containerStarted, containerWaits } from "./Containers.ts"
import { type CrashLoopLimits, crashLoopLimits, decideRestart } from "./CrashLoopBackOff.ts"
import { containersToStart, isPodOver } from "./PodActions.ts"
import { recordContainerEvent, recordFailedPull, recordPullBackOff, recordStart } from "./PodEvents.ts"
import { deadlineExceeded, type PodKill } from "./PodKill.ts"
import type { PodRecord } from "./PodRecord.ts"

/**
 * The back-off of image pulls, doubled after each failure. Upstream: pkg/kubelet/kubelet.go imageBackOffPeriod,
 * MaxImageBackOff.
 */
const FIRST_PULL_BACKOFF_MS = 10_000
const MAX_PULL_BACKOFF_MS = 300_000
/** The kubelet syncs a pod again soon after a failed pull, and then reports the back-off. */
const PULL_BACKOFF_SHOWS_AFTER_MS = 1_000

const nameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`

/** What the owner of the pods does about a pod as a whole. */
export interface PodEndCallbacks {
  /** No container of the pod will be started again. `containers` are its latest statuses. */
  readonly podEnded: (record: PodRecord, containers: Containers) => void
  /** Kills the pod by the kubelet's own decision. */
  readonly kill: (record: PodRecord, kill: PodKill) => void
  /** Runs `act`. If it throws, the pod is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
}

/**
 * Runs the containers of running pods, one by one: init containers, starts and restarts after a back-off, probes, the
 * active deadline. A pod that only runs costs nothing. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go
 * SyncPod.
 */
export class RuntimeManager {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager
  private readonly callbacks: PodEndCallbacks
  private readonly probes: ProbeManager
  private readonly limits: CrashLoopLimits

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, callbacks: PodEndCallbacks) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.callbacks = callbacks
    this.probes = new ProbeManager(env, runtime)
    this.limits = crashLoopLimits(env.config)
  }

  /** Begins to track a pod that is started container by container, when its sandbox has been requested. */
  begin(record: PodRecord): void {
    record.lifecycle = new PodLifecycle(record.pod)
    this.schedule(record, Number.POSITIVE_INFINITY)
  }

  /** Begins to track a pod whose containers were started before this kubelet. */
  adopt(record: PodRecord): void {
    const { pod } = record
    record.lifecycle = lifecycleFromStatuses(pod, record.statuses, this.env.timers.now())
    for (const tracked of record.lifecycle.containers) {
      const status = record.statuses.find(({ name }) => name === tracked.container.name)
      if (tracked.stage === "running") this.probes.resume(record, tracked, status)
    }
    this.advance(record)
  }

  /** Handles that the runtime has started a container. */
  started(record: PodRecord, name: string): void {
    const { pod } = record
    const tracked = this.lifecycleOf(record).of(name)
    if (tracked === undefined) return
    tracked.stage = "running"
    tracked.startedAtMs = this.env.timers.now()
    tracked.pulls = undefined
    const { ready, started } = this.probes.begin(record, tracked)
    tracked.hasStarted ||= started
    recordStart(this.env.recorder, pod, tracked.container, tracked.isInit)
    const isPlainInit = tracked.isInit && !isSidecar(tracked.container)
    const checks = isPlainInit ? { ready: false, started: false } : { ready, started }
    const { image = "" } = tracked.container
    const before = tracked.isReplaced
      ? containerExited(record.containers, name, tracked.exitCode, formatTime(tracked.endedAtMs + this.env.clockSkewMs))
      : record.containers
    tracked.isReplaced = false
    this.statusManager.setPodStatus(record, containerStarted(pod, before, name, this.env.wallTime(), image, checks))
    this.advance(record)
  }

  /** Handles that the runtime could not start a container, because its image could not be pulled. */
  failed(record: PodRecord, name: string, { message, reason }: StartFailure): void {
    const tracked = this.lifecycleOf(record).of(name)
    if (tracked === undefined) return
    const now = this.env.timers.now()
    tracked.stage = "unpulled"
    tracked.endedAtMs = now
    // Half of the first delay, because the delay is doubled here.
    const backoffMs = Math.min((tracked.pulls?.backoffMs ?? FIRST_PULL_BACKOFF_MS / 2) * 2, MAX_PULL_BACKOFF_MS)
    tracked.pulls = { backoffMs, decidedAtMs: now }
    recordFailedPull(this.env.recorder, record.pod, tracked.container, tracked.isInit, message)
    this.statusManager.setPodStatus(record, containerWaits(record.containers, name, reason, message))
    this.advance(record)
  }

  /** Handles that a container has exited: it is restarted, or the pod has ended. */
  exited(record: PodRecord, name: string, exitCode: number): void {
    const tracked = this.lifecycleOf(record).of(name)
    if (tracked === undefined) return
    tracked.stage = "exited"
    tracked.endedAtMs = this.env.timers.now()
    tracked.exitCode = exitCode
    tracked.probes = []
    if (tracked.isReplaced) {
      this.advance(record)
      return
    }
    const isDoneInit = tracked.isInit && exitCode === 0 && !isSidecar(tracked.container)
    const containers = containerExited(record.containers, name, exitCode, this.env.wallTime(), isDoneInit)
    if (isPodOver(record.pod, this.lifecycleOf(record))) {
      this.cancel(record)
      this.callbacks.podEnded(record, containers)
      return
    }
    this.statusManager.setPodStatus(record, containers)
    this.advance(record)
  }

  /** Handles another deadline or image; the container of an image is stopped, and restarted whatever the policy is. */
  changed(record: PodRecord, before: Pod): void {
    if (record.stage !== "running" || this.runtime.containers === undefined) return
    const lifecycle = this.lifecycleOf(record)
    for (const container of record.pod.spec.containers) {
      const old = before.spec.containers.find(({ name }) => name === container.name)
      const tracked = old === undefined || old.image === container.image ? undefined : lifecycle.of(container.name)
      if (tracked === undefined) continue
      tracked.container = container
      tracked.crashes = undefined
      tracked.pulls = undefined
      if (tracked.stage !== "running") continue
      tracked.isReplaced = true
      this.stop(record, tracked, `Container ${container.name} definition changed, will be restarted`)
    }
    if (record.pod.spec.activeDeadlineSeconds !== before.spec.activeDeadlineSeconds) this.advance(record)
  }

  /** Starts the containers that can be started now, and plans the next call. */
  advance(record: PodRecord): void {
    const { lifecycle } = record
    if (lifecycle === undefined || record.stage !== "running") return
    this.cancel(record)
    if (isPodOver(record.pod, lifecycle)) {
      this.callbacks.podEnded(record, record.containers)
      return
    }
    if (!this.statusManager.isActive) return
    let containers = record.containers
    let nextStartMs = Number.POSITIVE_INFINITY
    for (const tracked of containersToStart(record.pod, lifecycle)) {
      const delay =
        tracked.stage === "exited"
          ? this.restartDelay(record, tracked, containers)
          : tracked.stage === "unpulled"
            ? this.pullDelay(record, tracked, containers)
            : undefined
      if (delay === undefined) this.start(record, tracked)
      else {
        containers = delay.containers
        nextStartMs = Math.min(nextStartMs, delay.untilMs)
      }
    }
    if (containers !== record.containers) this.statusManager.setPodStatus(record, containers)
    this.schedule(record, nextStartMs)
  }

  cancel({ lifecycle }: PodRecord): void {
    if (lifecycle?.timer === undefined) return
    this.env.timers.cancel(lifecycle.timer)
    lifecycle.timer = undefined
  }

  /** Returns the lifecycle of a pod. A pod that only ran has none until it is first asked for. */
  private lifecycleOf(record: PodRecord): PodLifecycle {
    record.lifecycle ??= lifecycleFromStatuses(record.pod, record.statuses, this.env.timers.now())
    return record.lifecycle
  }

  private start(record: PodRecord, tracked: ContainerLifecycle): void {
    const { name } = tracked.container
    const isRestart = tracked.stage === "exited"
    tracked.stage = "starting"
    const { containers } = this.runtime
    if (containers === undefined) this.runtime.restart(record.pod, name, record)
    else containers.startContainer(record.pod, name, isRestart, record)
  }

  /** Returns the rest of a container's crash back-off, or undefined if the container may be restarted now. */
  private restartDelay(record: PodRecord, tracked: ContainerLifecycle, containers: Containers): StartDelay | undefined {
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
    return { containers: containerBacksOff(containers, name, message), untilMs }
  }

  /** Returns the rest of a container's pull back-off, or undefined if its image may be pulled again now. */
  private pullDelay(record: PodRecord, tracked: ContainerLifecycle, containers: Containers): StartDelay | undefined {
    const { name, image = "" } = tracked.container
    const now = this.env.timers.now()
    const untilMs = tracked.endedAtMs + (tracked.pulls?.backoffMs ?? 0)
    const showsMs = tracked.endedAtMs + PULL_BACKOFF_SHOWS_AFTER_MS
    if (now >= untilMs) return undefined
    if (now < showsMs) return { containers, untilMs: showsMs }
    const waiting = record.statuses.find((status) => status.name === name)?.state?.waiting
    if (waiting?.reason !== "ErrImagePull") return { containers, untilMs }
    recordPullBackOff(this.env.recorder, record.pod, tracked.container, tracked.isInit)
    const message = `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${waiting.message ?? ""}`
    return { containers: containerWaits(containers, name, "ImagePullBackOff", message), untilMs }
  }

  /** Sets the pod's only timer to the next start, probe or deadline. `startMs` is the time of the next start. */
  private schedule(record: PodRecord, startMs: number): void {
    const { lifecycle } = record
    if (lifecycle === undefined) return
    const nextMs = Math.min(startMs, this.probes.nextMs(lifecycle), this.deadlineMs(record))
    if (nextMs === Number.POSITIVE_INFINITY) return
    lifecycle.timer = this.env.timers.at(nextMs, () => {
      lifecycle.timer = undefined
      if (record.lifecycle === lifecycle) this.callbacks.guard(record, () => this.onTimer(record, lifecycle))
    })
  }

  private onTimer(record: PodRecord, lifecycle: PodLifecycle): void {
    if (this.env.timers.now() >= this.deadlineMs(record)) {
      const { message, reason } = deadlineExceeded
      this.env.recorder?.event(record.pod, "Normal", reason, message)
      this.callbacks.kill(record, deadlineExceeded)
      return
    }
    if (record.stage !== "running") {
      this.schedule(record, Number.POSITIVE_INFINITY)
      return
    }
    const containers = this.probes.runDueChecks(record, lifecycle, (each, kind) => this.restart(record, each, kind))
    if (containers !== record.containers) this.statusManager.setPodStatus(record, containers)
    this.advance(record)
  }

  private deadlineMs({ pod, status }: PodRecord): number {
    const { activeDeadlineSeconds } = pod.spec
    if (activeDeadlineSeconds === undefined || status.startTime === undefined) return Number.POSITIVE_INFINITY
    return parseTime(status.startTime) - this.env.clockSkewMs + Number(activeDeadlineSeconds) * 1000
  }

  /** A container whose startup or liveness probe failed is stopped; its exit then restarts it. */
  private restart(record: PodRecord, tracked: ContainerLifecycle, kind: ProbeKind): void {
    const { restartPolicy = record.pod.spec.restartPolicy } = tracked.container
    const again = restartPolicy === "Never" ? "" : ", will be restarted"
    const probe = kind === "startup" ? tracked.container.startupProbe : tracked.container.livenessProbe
    const message = `Container ${tracked.container.name} failed ${kind} probe${again}`
    this.stop(record, tracked, message, probe?.terminationGracePeriodSeconds)
  }

  /** Stops one container, to be restarted. */
  private stop(record: PodRecord, tracked: ContainerLifecycle, message: string, givenSeconds?: number): void {
    const { pod } = record
    tracked.stage = "ending"
    tracked.probes = []
    recordContainerEvent(this.env.recorder, pod, tracked.container, tracked.isInit, "Normal", "Killing", message)
    const graceSeconds = Math.max(1, Number(givenSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0))
    this.runtime.containers?.stopContainer(pod, tracked.container.name, graceSeconds, record)
  }
}

/** A back-off in progress. */
interface StartDelay {
  /** The pod's containers, with the status of the one that waits. */
  readonly containers: Containers
  /** When the container is looked at again: at the end of the back-off, or when its status changes. */
  readonly untilMs: number
}
