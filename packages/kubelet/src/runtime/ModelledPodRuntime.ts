import type { Pod } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { mayTrap } from "./command/stopByTrap.ts"
import { hasNoCommands, isPlainPod } from "./isPlainPod.ts"
import { ModelledImages } from "./ModelledImages.ts"
import type { ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import {
  containerCourseOf,
  containerOf,
  postStartEndOf,
  preStopEndOf,
  probeOutcomesOf,
  writesNothing
} from "./modelledOutcomes.ts"
import { behaviourOf, behaviourText, parseBehaviour } from "./PodBehaviour.ts"
import { PodPlan } from "./PodPlan.ts"
import type { ContainerCommands, ContainerRuntime, HookEnd, PodObserver, PodRuntime } from "./PodRuntime.ts"
import type { ProbeOutcomes, SeenProbes } from "./ProbeOutcomes.ts"
import { hasEnded, runningContainers, showsRunning } from "./runningContainers.ts"
import { SandboxNetwork } from "./SandboxNetwork.ts"
import { stopBehaviourOf } from "./stopBehaviour.ts"
import { endOf, type PlannedEnd, type StopBehaviour, terminationPlan } from "./TerminationPlan.ts"
import type { UsageSink } from "./UsageSink.ts"

const NONE: ReadonlySet<string> = new Set()

/**
 * A runtime of simulated containers. They start, run and stop after fixed delays, or as the annotation
 * `rollcall.dev/behaviour` of their pod says. A pod that only runs needs no state.
 */
class ModelledPodRuntime implements PodRuntime, ContainerRuntime {
  private readonly timers: TimersShape
  private readonly options: ModelledPodRuntimeOptions
  private readonly host: UsageSink | undefined
  private readonly network: SandboxNetwork
  readonly images: ModelledImages
  private readonly plans = new Map<PodObserver, PodPlan>()
  private commands: ContainerCommands | undefined = undefined
  /** Whether pods that are Running in the API do run here: until the first power loss. */
  private adopts: boolean
  readonly isStarting = (_pod: Pod, observer: PodObserver): boolean =>
    this.plans.get(observer)?.isStarting === true && !this.network.isAwaitedBy(observer)

  constructor(timers: TimersShape, options: ModelledPodRuntimeOptions, host: UsageSink | undefined) {
    this.timers = timers
    this.options = options
    this.host = host
    this.network = new SandboxNetwork(options, (observer, delayMs, run) =>
      this.plan(observer, undefined, delayMs, false, run)
    )
    this.adopts = options.adopts ?? true
    this.images = new ModelledImages(timers, options.images, (observer) => this.plans.get(observer), host)
  }

  get containers(): ContainerRuntime {
    return this
  }

  start(pod: Pod, observer: PodObserver): void {
    this.network.start(pod, observer, (podIP) => {
      for (const { name } of pod.spec.containers) this.planOwnExit(pod, name, observer)
      observer.started(podIP)
    })
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.startContainer(pod, container, true, observer)
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.read(behaviourText(pod), observer)
    this.planOf(observer).running = new Set()
    this.network.start(pod, observer, (podIP) => observer.sandboxReady(podIP))
  }

  startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    const startSeconds = behaviourOf(this.plans.get(observer)?.behaviour, container)?.startSeconds
    const delayMs = startSeconds === undefined ? (isRestart ? (this.options.restartMs ?? 500) : 0) : startSeconds * 1000
    this.plan(observer, container, delayMs, false, () => {
      this.planOwnExit(pod, container, observer)
      this.plans.get(observer)?.up(container)
      this.plans.get(observer)?.report(pod, this.host)
      observer.containerStarted(container)
    })
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    if (this.plans.get(observer)?.isOver(container) === true) return
    this.plans.get(observer)?.drop(this.timers, container)
    this.planExit(pod, observer, endOf(container, graceSeconds * 1000, this.stopBehaviour(pod, container, observer)))
  }

  followWith(commands: ContainerCommands): void {
    this.commands = commands
  }

  podChanged(pod: Pod, observer: PodObserver): void {
    const parsed = parseBehaviour(behaviourText(pod) ?? "{}")
    const plan = this.planOf(observer)
    if (Result.isSuccess(parsed)) plan.usage = parsed.success
    else this.plan(observer, undefined, 0, false, () => observer.warned("InvalidBehaviour", parsed.failure))
    plan.report(pod, this.host)
  }

  exitContainer(pod: Pod, name: string, exitCode: number, observer: PodObserver, message?: string): void {
    this.planExit(pod, observer, { name, afterMs: 0, exitCode, ...(message === undefined ? {} : { message }) })
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const plan = this.plans.get(observer)
    const runs = this.network.cancel(observer) ? NONE : plan?.running
    plan?.dropForStop(this.timers)
    const isUp = (name: string) =>
      runs === undefined
        ? pod.spec.containers.some((container) => container.name === name) && !hasEnded(pod, name)
        : runs.has(name)
    const stops = terminationPlan(
      pod,
      (name) => isUp(name) && plan?.isOver(name) !== true,
      graceSeconds * 1000,
      (name) => this.stopBehaviour(pod, name, observer)
    )
    const now = this.timers.now()
    const last = stops.reduce<PlannedEnd | undefined>(
      (latest, end) => (latest === undefined || end.afterMs >= latest.afterMs ? end : latest),
      undefined
    )
    // This may be a repeated stop with a shorter grace period: nothing ends later than planned before.
    const endsAtMs = Math.min(now + (last?.afterMs ?? 0), plan?.stopsAtMs ?? Number.POSITIVE_INFINITY)
    if (runs !== undefined) {
      for (const end of stops) {
        if (now + end.afterMs > endsAtMs || (now + end.afterMs === endsAtMs && end.exitCode === last?.exitCode))
          continue
        this.planExit(pod, observer, end)
      }
    }
    this.plan(observer, undefined, endsAtMs - now, false, () => {
      this.removeSandbox(pod)
      this.forget(observer)
      observer.stopped(last?.exitCode ?? this.options.stopExitCode ?? 0)
    })
    this.planOf(observer).stopsAtMs = endsAtMs
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver, seen?: SeenProbes): ProbeOutcomes | undefined {
    const { commands } = this
    const behaviour = behaviourOf(this.plans.get(observer)?.behaviour, container)
    const looked = writesNothing(pod, container) ? commands?.lookAtProbes(pod, container) : undefined
    return probeOutcomesOf(pod, container, behaviour, looked, seen)
  }

  postStartEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    const behaviour = behaviourOf(this.plans.get(observer)?.behaviour, container)
    return postStartEndOf(pod, container, behaviour, this.commands?.runHook)
  }

  preStopEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    if (containerOf(pod, container)?.lifecycle?.preStop === undefined) return undefined
    const plan = this.planOf(observer)
    const run = () => preStopEndOf(pod, container, behaviourOf(plan.behaviour, container), this.commands?.runHook)
    return plan.preStopEnd(container, run)
  }

  removeSandbox({ metadata: { uid = "" } }: Pod): void {
    this.network.release(uid)
  }

  /** Sets the ranges of pod addresses. Only the first one is used, that of the cluster's primary family. */
  setPodCIDR(cidrs: string): void {
    this.network.setRange(cidrs.split(",")[0] ?? "")
  }

  networkProblem(): string | undefined {
    return this.network.problem
  }

  handlerProblem(handler: string): string | undefined {
    const { runtimeHandlers } = this.options
    return handler === "" || runtimeHandlers === undefined || runtimeHandlers.includes(handler)
      ? undefined
      : `rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for ${JSON.stringify(handler)} is configured`
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    if (!this.adopts || !showsRunning(pod)) return false
    const { metadata, status } = pod
    if (status?.podIP !== undefined) this.network.reserve(metadata.uid ?? "", status.podIP)
    const isPlain = isPlainPod(pod)
    if (isPlain && this.options.outcome === undefined && hasNoCommands(pod)) return true
    const running = runningContainers(pod, this.timers.now())
    if (isPlain) {
      for (const { name, ranMs } of running) this.planOwnExit(pod, name, observer, ranMs)
      return true
    }
    this.read(behaviourText(pod), observer)
    const plan = this.planOf(observer)
    plan.running = new Set()
    for (const { name, ranMs } of running) {
      this.planOwnExit(pod, name, observer, ranMs)
      plan.up(name)
    }
    plan.report(pod, this.host)
    return true
  }

  powerOff(): void {
    for (const plan of this.plans.values()) {
      plan.drop(this.timers, undefined)
      plan.reportEnd(this.host)
    }
    this.plans.clear()
    this.network.clear()
    this.images.powerOff()
    this.adopts = false
  }

  private read(text: string | undefined, observer: PodObserver): void {
    if (text === undefined) return
    const parsed = parseBehaviour(text)
    if (Result.isSuccess(parsed)) this.planOf(observer).behaviour = parsed.success
    else this.plan(observer, undefined, 0, false, () => observer.warned("InvalidBehaviour", parsed.failure))
  }

  private stopBehaviour(pod: Pod, container: string, observer: PodObserver): StopBehaviour {
    const plan = this.plans.get(observer)
    const startedMs = plan?.trapping?.get(container)
    const ranMs = startedMs === undefined ? undefined : this.timers.now() - startedMs
    const preStopMs = this.preStopEnd(pod, container, observer)?.afterMs ?? 0
    return stopBehaviourOf(pod, container, behaviourOf(plan?.behaviour, container), ranMs, preStopMs, this.options)
  }

  /**
   * Plans the exit of a container that has started, if it exits by itself. `ranMs` says for how long it ran before this
   * kubelet was started.
   */
  private planOwnExit(pod: Pod, container: string, observer: PodObserver, ranMs?: number): void {
    const plan = this.plans.get(observer)
    const behaviour = behaviourOf(plan?.behaviour, container)
    const runsBefore = plan?.runs(container) ?? 0
    if (mayTrap(containerOf(pod, container)))
      this.planOf(observer).trappingSince(container, this.timers.now() - (ranMs ?? 0))
    const { end, isFollowed } = containerCourseOf(pod, container, behaviour, runsBefore, this.options)
    if (isFollowed && this.commands !== undefined) {
      const stop = this.commands.follow(pod, container, ranMs !== undefined, (exitCode, message) =>
        this.planExit(pod, observer, { name: container, afterMs: 0, exitCode, message })
      )
      this.planOf(observer).follow(stop, container)
    } else if (end !== undefined)
      this.planExit(pod, observer, { name: container, ...end, afterMs: Math.max(0, end.afterMs - (ranMs ?? 0)) })
  }

  private planExit(pod: Pod, observer: PodObserver, { afterMs, exitCode, message, name }: PlannedEnd): void {
    const isOver = afterMs === 0
    this.plan(observer, name, afterMs, isOver, () => {
      const plan = this.plans.get(observer)
      plan?.drop(this.timers, name)
      plan?.down(name)
      this.plans.get(observer)?.report(pod, this.host)
      observer.containerExited(name, exitCode, message)
    })
  }

  private forget(observer: PodObserver): void {
    this.plans.get(observer)?.reportEnd(this.host)
    this.plans.delete(observer)
  }

  private planOf(observer: PodObserver): PodPlan {
    const plan = this.plans.get(observer) ?? new PodPlan()
    this.plans.set(observer, plan)
    return plan
  }

  private plan(
    observer: PodObserver,
    container: string | undefined,
    delayMs: number,
    isOver: boolean,
    run: () => void
  ): void {
    const plan = this.planOf(observer)
    const timer = this.timers.after(delayMs, () => {
      plan.done(timer)
      if (plan.isEmpty) this.plans.delete(observer)
      run()
    })
    plan.add(timer, container, isOver)
  }
}

/** Makes a runtime of simulated containers. `host` receives the usage of pods whose behaviour defines one. */
export const makeModelledPodRuntime = (
  timers: TimersShape,
  options: ModelledPodRuntimeOptions = {},
  host?: UsageSink
): PodRuntime => new ModelledPodRuntime(timers, options, host)
