import { formatDuration, formatTime, type Pod, parseTime } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import { ProbeManager } from "../prober/ProbeManager.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"
import type { StatusManager } from "../status/StatusManager.ts"
import { type ContainerLife, lifeFromStatuses, PodLife } from "./ContainerLife.ts"
import { isSidecar } from "./ContainerRestart.ts"
import { type Containers, containerBacksOff, containerExited, containerStarted, containerWaits } from "./Containers.ts"
import { type CrashLoopLimits, crashLoopLimits, decideRestart } from "./CrashLoopBackOff.ts"
import { containersToStart, isPodOver } from "./PodActions.ts"
import { recordContainerEvent, recordFailedPull, recordPullBackOff, recordStart } from "./PodEvents.ts"
import type { PodKill } from "./PodKill.ts"
import type { PodRecord } from "./PodRecord.ts"

const FIRST_PULL_BACKOFF_MS = 10_000
const MAX_PULL_BACKOFF_MS = 300_000
/** The kubelet syncs a pod again soon after a failed pull, and then reports the back-off. */
const PULL_BACKOFF_SHOWS_AFTER_MS = 1_000

const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline"
}

const nameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`

/** Callbacks for events of a pod as a whole. */
export interface PodEndCallbacks {
  /** None of its containers will run any more. */
  readonly over: (record: PodRecord, containers: Containers) => void
  readonly kill: (record: PodRecord, kill: PodKill) => void
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
  private readonly ends: PodEndCallbacks
  private readonly probes: ProbeManager
  private readonly limits: CrashLoopLimits

  constructor(env: Env, runtime: PodRuntime, statusManager: StatusManager, ends: PodEndCallbacks) {
    this.env = env
    this.runtime = runtime
    this.statusManager = statusManager
    this.ends = ends
    this.probes = new ProbeManager(env, runtime)
    this.limits = crashLoopLimits(env.config)
  }

  /** The sandbox of a pod that is started container by container has been requested. */
  begin(record: PodRecord): void {
    record.life = new PodLife(record.pod)
    this.schedule(record, Number.POSITIVE_INFINITY)
  }

  /** The containers were started before this kubelet. */
  adopt(record: PodRecord): void {
    const { pod } = record
    record.life = lifeFromStatuses(pod, record.statuses, this.env.timers.now())
    for (const own of record.life.containers) {
      const status = record.statuses.find(({ name }) => name === own.container.name)
      if (own.stage === "running") this.probes.resume(record, own, status)
    }
    this.advance(record)
  }

  started(record: PodRecord, name: string): void {
    const { pod } = record
    const own = this.lifeOf(record).of(name)
    if (own === undefined) return
    own.stage = "running"
    own.startedAtMs = this.env.timers.now()
    own.pulls = undefined
    const { ready, started } = this.probes.begin(record, own)
    own.hasStarted ||= started
    recordStart(this.env.recorder, pod, own.container, own.isInit)
    const isPlainInit = own.isInit && !isSidecar(own.container)
    const checks = isPlainInit ? { ready: false, started: false } : { ready, started }
    const { image = "" } = own.container
    const before = own.isReplaced
      ? containerExited(record.containers, name, own.exitCode, formatTime(own.endedAtMs + this.env.clockSkewMs))
      : record.containers
    own.isReplaced = false
    this.statusManager.setPodStatus(record, containerStarted(pod, before, name, this.env.wallTime(), image, checks))
    this.advance(record)
  }

  failed(record: PodRecord, name: string, { message, reason }: StartFailure): void {
    const own = this.lifeOf(record).of(name)
    if (own === undefined) return
    const now = this.env.timers.now()
    own.stage = "unpulled"
    own.endedAtMs = now
    const backoffMs = Math.min((own.pulls?.backoffMs ?? FIRST_PULL_BACKOFF_MS / 2) * 2, MAX_PULL_BACKOFF_MS)
    own.pulls = { backoffMs, decidedAtMs: now }
    recordFailedPull(this.env.recorder, record.pod, own.container, own.isInit, message)
    this.statusManager.setPodStatus(record, containerWaits(record.containers, name, reason, message))
    this.advance(record)
  }

  exited(record: PodRecord, name: string, exitCode: number): void {
    const own = this.lifeOf(record).of(name)
    if (own === undefined) return
    own.stage = "exited"
    own.endedAtMs = this.env.timers.now()
    own.exitCode = exitCode
    own.probes = []
    if (own.isReplaced) {
      this.advance(record)
      return
    }
    const isDoneInit = own.isInit && exitCode === 0 && !isSidecar(own.container)
    const containers = containerExited(record.containers, name, exitCode, this.env.wallTime(), isDoneInit)
    if (isPodOver(record.pod, this.lifeOf(record))) {
      this.cancel(record)
      this.ends.over(record, containers)
      return
    }
    this.statusManager.setPodStatus(record, containers)
    this.advance(record)
  }

  /**
   * The API shows the pod with other images: their containers are stopped, and restarted regardless of their policy.
   */
  changed(record: PodRecord, before: Pod): void {
    if (record.stage !== "running" || this.runtime.containers === undefined) return
    for (const container of record.pod.spec.containers) {
      const old = before.spec.containers.find(({ name }) => name === container.name)
      const own =
        old === undefined || old.image === container.image ? undefined : this.lifeOf(record).of(container.name)
      if (own === undefined) continue
      own.container = container
      own.crashes = undefined
      own.pulls = undefined
      if (own.stage !== "running") continue
      own.isReplaced = true
      this.stop(record, own, `Container ${container.name} definition changed, will be restarted`, undefined)
    }
  }

  /** Starts what can be started, and schedules the next call. */
  advance(record: PodRecord): void {
    const { life } = record
    if (life === undefined || record.stage !== "running") return
    this.cancel(record)
    if (isPodOver(record.pod, life)) {
      this.ends.over(record, record.containers)
      return
    }
    if (!this.statusManager.isActive) return
    let containers = record.containers
    let againMs = Number.POSITIVE_INFINITY
    for (const own of containersToStart(record.pod, life)) {
      const waits =
        own.stage === "exited"
          ? this.restarts(record, own, containers)
          : own.stage === "unpulled"
            ? this.pulls(record, own, containers)
            : undefined
      if (waits === undefined) this.start(record, own)
      else {
        containers = waits.containers
        againMs = Math.min(againMs, waits.untilMs)
      }
    }
    if (containers !== record.containers) this.statusManager.setPodStatus(record, containers)
    this.schedule(record, againMs)
  }

  cancel({ life }: PodRecord): void {
    if (life?.timer === undefined) return
    this.env.timers.cancel(life.timer)
    life.timer = undefined
  }

  /** The state of a pod, created if it had none because it only ran. */
  private lifeOf(record: PodRecord): PodLife {
    record.life ??= lifeFromStatuses(record.pod, record.statuses, this.env.timers.now())
    return record.life
  }

  private start(record: PodRecord, own: ContainerLife): void {
    const { name } = own.container
    const again = own.stage === "exited"
    own.stage = "starting"
    const { containers } = this.runtime
    if (containers === undefined) this.runtime.restart(record.pod, name, record)
    else containers.startContainer(record.pod, name, again, record)
  }

  /** Undefined: the container may be restarted now. */
  private restarts(record: PodRecord, own: ContainerLife, containers: Containers): Waits | undefined {
    const { pod } = record
    const { name } = own.container
    const decision = decideRestart(own.crashes, own.endedAtMs, this.env.timers.now(), this.limits)
    if (decision.restart) {
      own.crashes = decision.record
      return undefined
    }
    const untilMs = decision.startNotBeforeMs
    const message = `back-off ${formatDuration(decision.backoffMs)} restarting failed container=${name} pod=${nameOf(pod)}`
    const status = record.statuses.find((candidate) => candidate.name === name)
    if (status?.state?.waiting?.message === message) return { containers, untilMs }
    const eventText = `Back-off restarting failed container ${name} in pod ${nameOf(pod)}`
    recordContainerEvent(this.env.recorder, pod, own.container, own.isInit, "Warning", "BackOff", eventText)
    return { containers: containerBacksOff(containers, name, message), untilMs }
  }

  /** Undefined: the image may be pulled again now. */
  private pulls(record: PodRecord, own: ContainerLife, containers: Containers): Waits | undefined {
    const { name, image = "" } = own.container
    const now = this.env.timers.now()
    const untilMs = own.endedAtMs + (own.pulls?.backoffMs ?? 0)
    const showsMs = own.endedAtMs + PULL_BACKOFF_SHOWS_AFTER_MS
    if (now >= untilMs) return undefined
    if (now < showsMs) return { containers, untilMs: showsMs }
    const waiting = record.statuses.find((status) => status.name === name)?.state?.waiting
    if (waiting?.reason !== "ErrImagePull") return { containers, untilMs }
    recordPullBackOff(this.env.recorder, record.pod, own.container, own.isInit)
    const message = `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${waiting.message ?? ""}`
    return { containers: containerWaits(containers, name, "ImagePullBackOff", message), untilMs }
  }

  /** One timer a pod: for the next start, the next relevant probe, or the deadline. */
  private schedule(record: PodRecord, startMs: number): void {
    const { life } = record
    if (life === undefined) return
    const nextMs = Math.min(startMs, this.probes.nextMs(life), this.deadlineMs(record))
    if (nextMs === Number.POSITIVE_INFINITY) return
    life.timer = this.env.timers.at(nextMs, () => {
      life.timer = undefined
      if (record.life === life) this.ends.guard(record, () => this.wake(record, life))
    })
  }

  private wake(record: PodRecord, life: PodLife): void {
    if (this.env.timers.now() >= this.deadlineMs(record)) {
      const { message, reason } = deadlineExceeded
      this.env.recorder?.event(record.pod, "Normal", reason, message)
      this.ends.kill(record, deadlineExceeded)
      return
    }
    if (record.stage !== "running") {
      this.schedule(record, Number.POSITIVE_INFINITY)
      return
    }
    const containers = this.probes.look(record, life, (own, kind) => this.restart(record, own, kind))
    if (containers !== record.containers) this.statusManager.setPodStatus(record, containers)
    this.advance(record)
  }

  private deadlineMs({ pod, status }: PodRecord): number {
    const { activeDeadlineSeconds } = pod.spec
    if (activeDeadlineSeconds === undefined || status.startTime === undefined) return Number.POSITIVE_INFINITY
    return parseTime(status.startTime) - this.env.clockSkewMs + activeDeadlineSeconds * 1000
  }

  /** A container whose startup or liveness probe failed is stopped; its exit then restarts it. */
  private restart(record: PodRecord, own: ContainerLife, kind: ProbeKind): void {
    const again = record.pod.spec.restartPolicy === "Never" ? "" : ", will be restarted"
    const probe = kind === "startup" ? own.container.startupProbe : own.container.livenessProbe
    const message = `Container ${own.container.name} failed ${kind} probe${again}`
    this.stop(record, own, message, probe?.terminationGracePeriodSeconds)
  }

  /** Stops one container, to be restarted. */
  private stop(record: PodRecord, own: ContainerLife, message: string, givenSeconds: number | undefined): void {
    const { pod } = record
    own.stage = "ending"
    own.probes = []
    recordContainerEvent(this.env.recorder, pod, own.container, own.isInit, "Normal", "Killing", message)
    const graceSeconds = Math.max(1, givenSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0)
    this.runtime.containers?.stopContainer(pod, own.container.name, graceSeconds, record)
  }
}

interface Waits {
  readonly containers: Containers
  readonly untilMs: number
}
