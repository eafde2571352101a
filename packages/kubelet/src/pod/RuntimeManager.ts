import { formatTime, type Pod } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import { ProbeManager } from "../prober/ProbeManager.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { type ContainerLifecycle, isDoneInit, lifecycleFromStatuses, PodLifecycle } from "./ContainerLifecycle.ts"
import { isSidecar } from "./ContainerRestart.ts"
import { ContainerStarter } from "./ContainerStarter.ts"
import {
  type Checks,
  type Containers,
  containerBacksOff,
  containerChecked,
  containerExited,
  containerStarted,
  containersRemoved,
  INIT_CHECKS,
  NOT_YET
} from "./Containers.ts"
import { containersToStart, isPodOver, startsInSameSync, takeImages } from "./PodActions.ts"
import { probeKillMessage, recordOverdue, recordStart } from "./PodEvents.ts"
import { deadlineExceeded, type PodKill } from "./PodKill.ts"
import type { PodRecord } from "./PodRecord.ts"
import { POST_START_ERROR, postStartOf, recordFailedHook } from "./PostStart.ts"
import { recordKilling } from "./PreStop.ts"
import { deadlineMs, nextHookMs, podGrace, probeGrace } from "./podTimes.ts"
import { NO_GRACE, nextToStop, resetContainers, startsRestartOfAll } from "./RestartAll.ts"
import { StartDelays } from "./StartDelays.ts"

/** What the owner of the pods does about a pod as a whole. */
export interface PodEndCallbacks {
  /** No container of the pod will be started again. `containers` are its latest statuses. */
  readonly podEnded: (record: PodRecord, containers: Containers) => void
  /** Kills the pod by the kubelet's own decision. */
  readonly kill: (record: PodRecord, kill: PodKill) => void
  /** Syncs a pod whose deletion has waited for a pull or a hook. */
  readonly sync: (record: PodRecord) => void
  /** Runs `act`. If it throws, the pod is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
}

/**
 * Runs the containers of running pods, one by one: init containers, starts and restarts after a back-off, hooks,
 * probes, the active deadline. A pod that only runs costs nothing. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go
 * SyncPod.
 */
export class RuntimeManager {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly statusManager: StatusManager
  private readonly callbacks: PodEndCallbacks
  readonly probes: ProbeManager
  readonly delays: StartDelays
  readonly starter: ContainerStarter

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, callbacks: PodEndCallbacks) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.callbacks = callbacks
    this.probes = new ProbeManager(env, runtime)
    this.delays = new StartDelays(env)
    this.starter = new ContainerStarter(env, runtime, (record, tracked, failure) =>
      callbacks.guard(record, () => this.notPulled(record, tracked, failure))
    )
  }

  /** Begins to track a pod that is started container by container, once its sandbox has been requested. */
  begin(record: PodRecord): void {
    record.lifecycle = new PodLifecycle(record.pod, true)
    this.schedule(record, Number.POSITIVE_INFINITY)
  }

  /** Begins to track a pod whose containers were started before this kubelet, or as a whole. */
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
    const tracked = this.lifecycleOf(record).of(name)
    if (tracked === undefined) return
    tracked.stage = "running"
    tracked.startedAtMs = this.env.timers.now()
    recordStart(this.env.recorder, record.pod, tracked.container, tracked.isInit)
    const { container, exitCode } = tracked
    const before = tracked.isReplaced
      ? containerExited(record.containers, { name, exitCode }, formatTime(tracked.endedAtMs + this.env.clockSkewMs))
      : record.containers
    tracked.isReplaced = false
    const startedWith = (checks: Checks) =>
      containerStarted(record.pod, before, name, this.env.wallTime(), container.image ?? "", checks)
    // A hook runs in the container, which the status names.
    if (container.lifecycle?.postStart !== undefined) this.statusManager.keepPodStatus(record, startedWith(NOT_YET))
    tracked.hook = this.statusManager.isActive ? postStartOf(this.env, this.runtime, record, tracked) : undefined
    const checks = tracked.hook === undefined ? this.checksOf(record, tracked) : NOT_YET
    this.statusManager.keepPodStatus(record, startedWith(checks))
    this.continueSync(record)
  }

  /** Handles that the runtime could not start a container, because its image could not be pulled. */
  failed(record: PodRecord, name: string, failure: StartFailure): void {
    const lifecycle = this.lifecycleOf(record)
    const tracked = lifecycle.of(name)
    if (tracked === undefined) return
    this.starter.notStarted(record, tracked, this.starter.pullFailed(record, lifecycle, tracked, failure))
    this.continueSync(record)
  }

  /** Handles that a container has exited: it is restarted, or the pod has ended. */
  exited(record: PodRecord, name: string, exitCode: number, message?: string): void {
    const lifecycle = this.lifecycleOf(record)
    const tracked = lifecycle.of(name)
    if (tracked === undefined) return
    tracked.exited(exitCode, this.env.timers.now())
    if (tracked.isReplaced) {
      this.advance(record)
      return
    }
    lifecycle.restartsAll ||= startsRestartOfAll(this.env.config.featureGates, tracked)
    const isDone = isDoneInit(tracked, exitCode)
    let containers = containerExited(record.containers, { name, exitCode, message }, this.env.wallTime(), isDone)
    if (isPodOver(record.pod, lifecycle)) {
      this.cancel(record)
      this.callbacks.podEnded(record, containers)
      return
    }
    if (tracked.failedHook !== undefined) {
      containers = containerBacksOff(containers, name, POST_START_ERROR, tracked.failedHook)
      tracked.failedHook = undefined
      tracked.isSeenTwice = true
    }
    const isHeld = lifecycle.isBusy || startsInSameSync(record.pod, lifecycle, tracked)
    this.statusManager.containersChanged(record, containers, isHeld)
    this.advance(record)
  }

  /** Handles another deadline or image; the container of an image is stopped, and restarted whatever the policy is. */
  changed(record: PodRecord, before: Pod): void {
    if (this.runtime.containers === undefined || (record.stage !== "running" && record.lifecycle === undefined)) return
    for (const tracked of takeImages(record.pod, before, this.lifecycleOf(record)))
      this.replace(record, tracked, `Container ${tracked.container.name} definition changed, will be restarted`)
    if (record.pod.spec.activeDeadlineSeconds !== before.spec.activeDeadlineSeconds) this.advance(record)
  }

  /** Stops a container that runs, to be restarted at once whatever the policy is. */
  replace(record: PodRecord, tracked: ContainerLifecycle, message: string): void {
    if (tracked.stage !== "running") return
    tracked.isReplaced = true
    this.stop(record, tracked, message)
  }

  /** Starts the container that can be started now, and plans the next call. The others follow, one after another. */
  advance(record: PodRecord): void {
    const { lifecycle } = record
    if (lifecycle === undefined || record.stage !== "running") return
    this.cancel(record)
    if (isPodOver(record.pod, lifecycle)) {
      this.callbacks.podEnded(record, record.containers)
      return
    }
    if (!this.statusManager.isActive) return
    const next = lifecycle.isBusy || this.restartsAll(record, lifecycle) ? [] : containersToStart(record.pod, lifecycle)
    const before = record.containers
    let containers = before
    let nextStartMs = Number.POSITIVE_INFINITY
    for (const tracked of next) {
      let delay = this.delays.of(record, lifecycle, tracked, containers)
      if (delay.untilMs === undefined) {
        containers = this.starter.start(record, lifecycle, tracked, delay.containers)
        if (lifecycle.isBusy) break
        delay = this.delays.of(record, lifecycle, tracked, containers)
      }
      containers = delay.containers
      nextStartMs = Math.min(nextStartMs, delay.untilMs ?? Number.POSITIVE_INFINITY)
    }
    if (containers !== before) this.statusManager.setPodStatus(record, containers)
    this.schedule(record, nextStartMs)
  }

  cancel({ lifecycle }: PodRecord): void {
    if (lifecycle?.timer !== undefined) this.env.timers.cancel(lifecycle.timer)
    if (lifecycle !== undefined) lifecycle.timer = undefined
  }

  /** Ends with the kubelet's process, and with it the pulls and the hooks of these pods. */
  stopProcess(records: Iterable<PodRecord>): void {
    this.starter.stopProcess()
    for (const record of records) {
      this.cancel(record)
      record.lifecycle?.stopProcess()
      for (const tracked of record.lifecycle?.containers ?? []) {
        if (tracked.hook !== undefined) this.hookEnded(record, tracked, undefined)
      }
    }
  }

  /** Returns the lifecycle of a pod. A pod that only ran has none until it is first asked for. */
  lifecycleOf(record: PodRecord): PodLifecycle {
    record.lifecycle ??= lifecycleFromStatuses(record.pod, record.statuses, this.env.timers.now())
    return record.lifecycle
  }

  /** Starts the next container, and posts the statuses once none is being started. */
  continueSync(record: PodRecord): void {
    this.advance(record)
    const { lifecycle, pod, present, stage } = record
    if (stage !== "running" || lifecycle?.isBusy === true) return
    if (lifecycle !== undefined) lifecycle.makesSandbox = false
    this.statusManager.postStatus(record)
    if (pod.metadata.deletionTimestamp !== undefined || !present) this.callbacks.sync(record)
  }

  private notPulled(record: PodRecord, tracked: ContainerLifecycle, failure: StartFailure): void {
    if (record.stage !== "running") return
    this.starter.notStarted(record, tracked, failure)
    this.continueSync(record)
  }

  /** Begins the probes of a container. Returns what its status says until their first check. */
  private checksOf(record: PodRecord, tracked: ContainerLifecycle): Checks {
    const checks = this.probes.begin(record, tracked)
    tracked.hasStarted ||= checks.started
    return tracked.isInit && !isSidecar(tracked.container) ? INIT_CHECKS : checks
  }

  /** Handles the end of a postStart hook. A container whose hook failed is stopped. */
  private hookEnded(record: PodRecord, tracked: ContainerLifecycle, failure: string | undefined): void {
    tracked.hook = undefined
    if (failure === undefined) {
      const checks = this.checksOf(record, tracked)
      this.statusManager.keepPodStatus(record, containerChecked(record.containers, tracked.container.name, checks))
      return
    }
    tracked.failedHook = failure
    recordFailedHook(this.env, record, tracked)
    this.stop(record, tracked, "FailedPostStartHook")
  }

  /** Stops the next container, or starts anew, while all containers are restarted. Returns whether that is in progress. */
  private restartsAll(record: PodRecord, lifecycle: PodLifecycle): boolean {
    if (!lifecycle.restartsAll) return false
    const running = nextToStop(lifecycle)
    if (running?.stage === "running") this.stop(record, running, "killing", NO_GRACE)
    if (running !== undefined) return true
    resetContainers(lifecycle)
    this.statusManager.setPodStatus(record, containersRemoved(record.containers))
    return false
  }

  /** Sets the pod's only timer to the next start, probe, end of a hook, or deadline. `startMs` is that of the next start. */
  private schedule(record: PodRecord, startMs: number): void {
    const { lifecycle } = record
    if (lifecycle === undefined) return
    const nextMs = Math.min(startMs, this.probes.nextMs(lifecycle), deadlineMs(this.env, record), nextHookMs(lifecycle))
    if (nextMs === Number.POSITIVE_INFINITY) return
    lifecycle.timer = this.env.timers.at(nextMs, () => {
      lifecycle.timer = undefined
      if (record.lifecycle === lifecycle) this.callbacks.guard(record, () => this.onTimer(record, lifecycle))
    })
  }

  private onTimer(record: PodRecord, lifecycle: PodLifecycle): void {
    const now = this.env.timers.now()
    if (now >= deadlineMs(this.env, record)) {
      recordOverdue(this.env.recorder, record.pod)
      this.callbacks.kill(record, deadlineExceeded)
      return
    }
    if (record.stage !== "running") {
      this.schedule(record, Number.POSITIVE_INFINITY)
      return
    }
    const before = record.containers
    // A container whose startup or liveness probe failed is stopped; its exit then restarts it.
    const after = this.probes.runDueChecks(record, lifecycle, before, (tracked, kind) =>
      this.stop(record, tracked, probeKillMessage(record, tracked, kind), probeGrace(record, tracked, kind))
    )
    if (after !== before) this.statusManager.setPodStatus(record, after)
    const ended = lifecycle.containers.find(({ hook }) => hook !== undefined && hook.endsMs <= now)
    if (ended !== undefined) this.hookEnded(record, ended, ended.hook?.failure)
    if (ended === undefined) this.advance(record)
    else this.continueSync(record)
  }

  /** Stops one container, to be restarted. */
  private stop(record: PodRecord, tracked: ContainerLifecycle, message: string, graceSeconds = podGrace(record)): void {
    tracked.stage = "ending"
    tracked.probes = []
    const { container, isInit } = tracked
    recordKilling(this.env, this.runtime, record, { container, isInit, graceSeconds }, message, this.statusManager)
    this.runtime.containers?.stopContainer(record.pod, container.name, graceSeconds, record)
  }
}
