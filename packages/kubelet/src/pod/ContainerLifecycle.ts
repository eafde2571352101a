import type { Container, ContainerStatus, Pod } from "@rollcall/api"
import { getPodCondition, parseTime } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { PullBackOffs } from "../images/PullBackOff.ts"
import type { ProbeState, ProbeStep, ProbeTiming } from "../prober/ProbePlan.ts"
import type { StartFailure } from "../runtime/PodRuntime.ts"
import type { ProbeKind, ProbeOutcome, SeenProbes } from "../runtime/ProbeOutcomes.ts"
import type { BackOffRecord } from "./CrashLoopBackOff.ts"

/** A probe of a running container, and its next relevant check. */
export interface RunningProbe {
  readonly kind: ProbeKind
  readonly timing: ProbeTiming
  readonly outcome: ProbeOutcome
  readonly state: ProbeState
  readonly next: ProbeStep | undefined
}

const NOTHING_SEEN: SeenProbes = {}

/** A postStart hook that runs, and the kubelet's message if it will fail. */
export interface RunningHook {
  readonly endsMs: number
  readonly failure: string | undefined
}

/**
 * The stage of a container.
 * - `new`: it has not been started in this sandbox yet
 * - `starting`: the runtime has been told to start it
 * - `unpulled`: its image is not on the node, or it could not be started for another reason
 * - `ending`: it runs, and the runtime has been told to stop it for a restart
 */
export type ContainerStage = "new" | "starting" | "unpulled" | "running" | "ending" | "exited"

/** What a kubelet remembers of one container besides its status. */
export class ContainerLifecycle {
  readonly isInit: boolean
  /** The container in the pod's spec. Its image may change. */
  container: Container
  /** Whether it is being stopped, or was stopped, because of a changed image. */
  isReplaced = false
  /** Whether its last run ended because the kubelet had stopped it for itself. */
  isStopped = false
  stage: ContainerStage = "new"
  startedAtMs = 0
  /** When it last exited; -Infinity before that. */
  endedAtMs = Number.NEGATIVE_INFINITY
  exitCode = 0
  /** Whether it has passed its startup probe in this sandbox. */
  hasStarted = false
  /** The back-off of its restarts; undefined before the first. */
  crashes: BackOffRecord | undefined = undefined
  /** Whether its image is being pulled, or what its variables refer to is being read. */
  isPulling = false
  /** Its variables with values from files, as it was last started with; undefined if it has none. */
  fileVariables: ReadonlyMap<string, string> | undefined = undefined
  /** When the pod is synced again after it could not be started, or waits for a back-off. */
  retryAtMs = 0
  /** Why the last sync has not started it. Its status shows that from the next sync on, as upstream's reasonCache. */
  reason: StartFailure | undefined = undefined
  /** Whether the sync that sees its exit is soon followed by another one, since its start is seen on its own. */
  isSeenTwice = false
  /**
   * When the run before the last one ended, if the kubelet has just stopped the last one to restart it: the sync that
   * does both knows only of that exit. Undefined otherwise.
   */
  endedBeforeMs: number | undefined = undefined
  /** Its postStart hook, while that runs. */
  hook: RunningHook | undefined = undefined
  /** The message of the hook that failed in its last run. */
  failedHook: string | undefined = undefined
  probes: ReadonlyArray<RunningProbe> = []
  /** What checks have found since commands changed its files. */
  seen: SeenProbes = NOTHING_SEEN

  constructor(container: Container, isInit: boolean) {
    this.container = container
    this.isInit = isInit
  }

  /** Whether it runs, or is about to. */
  get isUp(): boolean {
    return this.stage === "starting" || this.stage === "running" || this.stage === "ending"
  }

  /** Forgets what the kubelet's process has kept in memory: back-offs, and what it waits for. */
  stopProcess(): void {
    this.isPulling = false
    this.crashes = undefined
    this.reason = undefined
    this.retryAtMs = 0
    this.endedBeforeMs = undefined
    this.isSeenTwice = false
  }

  /** Records the exit of its run. */
  exited(exitCode: number, nowMs: number): void {
    this.isStopped = this.stage === "ending" && this.failedHook === undefined
    this.endedBeforeMs = this.isStopped ? this.endedAtMs : undefined
    this.retryAtMs = 0
    this.reason = undefined
    this.isSeenTwice = false
    this.stage = "exited"
    this.endedAtMs = nowMs
    this.exitCode = exitCode
    this.probes = []
    this.seen = NOTHING_SEEN
    this.hook = undefined
  }
}

/** What a kubelet remembers of the containers of a pod that needs more than to be started and kept running. */
export class PodLifecycle {
  readonly containers: ReadonlyArray<ContainerLifecycle>
  /** The back-offs of its image pulls. */
  readonly pulls: PullBackOffs = new Map()
  /** The volumes whose images are on the node, by name; undefined before the first. */
  volumeImages: Set<string> | undefined = undefined
  /** Whether the status is posted later, because a container is being started. */
  holdsStatus = false
  /** Whether the sync that has made the pod's sandbox is in progress, and nothing of it has failed. */
  makesSandbox: boolean
  /** Whether all containers are being stopped, to be started again in place. */
  restartsAll = false
  /** The pod's next timer. */
  timer: Timer | undefined = undefined

  constructor(pod: Pod, makesSandbox = false) {
    this.makesSandbox = makesSandbox
    this.containers = [
      ...(pod.spec.initContainers ?? []).map((container) => new ContainerLifecycle(container, true)),
      ...pod.spec.containers.map((container) => new ContainerLifecycle(container, false))
    ]
  }

  /**
   * Whether a container is being started: its image is pulled, its hook runs, or it is stopped because the hook failed or
   * to be replaced. The others wait for that, and the status.
   */
  get isBusy(): boolean {
    const isStopped = ({ failedHook, isReplaced, stage }: ContainerLifecycle) =>
      stage === "ending" && (failedHook !== undefined || isReplaced)
    return this.isStarting || this.containers.some(isStopped)
  }

  /** Whether a pull, a start or a hook is in progress, for whose end also the pod's termination waits. */
  get isStarting(): boolean {
    return this.containers.some(({ hook, isPulling, stage }) => isPulling || hook !== undefined || stage === "starting")
  }

  /** Forgets what the kubelet's process has kept in memory. */
  stopProcess(): void {
    this.pulls.clear()
    for (const container of this.containers) container.stopProcess()
  }

  /** Whether a container runs, or is about to. */
  get hasRunning(): boolean {
    return this.containers.some(({ isUp }) => isUp)
  }

  /** The container with this name. */
  of(name: string): ContainerLifecycle | undefined {
    return this.containers.find(({ container }) => container.name === name)
  }
}

/** Whether an init container has completed with this exit. It counts as ready then. */
export const isDoneInit = ({ container, isInit }: ContainerLifecycle, exitCode: number): boolean =>
  isInit && exitCode === 0 && container.restartPolicy !== "Always"

const timeOf = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : parseTime(text)

/** Returns the lifecycle of a pod whose containers exist already. Absent times become `nowMs`. */
export const lifecycleFromStatuses = (
  pod: Pod,
  statuses: ReadonlyArray<ContainerStatus>,
  nowMs: number
): PodLifecycle => {
  const podLifecycle = new PodLifecycle(pod)
  // A kubelet that restarts all containers of a pod says so in a condition, and goes on after its own restart.
  podLifecycle.restartsAll = getPodCondition(pod.status, "AllContainersRestarting")?.status === "True"
  for (const { lastState, name, started, state } of statuses) {
    const tracked = podLifecycle.of(name)
    if (tracked === undefined) continue
    tracked.hasStarted = started === true || lastState?.terminated !== undefined
    const end = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined)
    if (state?.running !== undefined) {
      tracked.stage = "running"
      tracked.startedAtMs = timeOf(state.running.startedAt, nowMs)
    } else if (end !== undefined) {
      tracked.stage = "exited"
      tracked.exitCode = end.exitCode
      tracked.endedAtMs = timeOf(end.finishedAt, nowMs)
    }
  }
  return podLifecycle
}
