import type { Pod } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { isPlainPod } from "./isPlainPod.ts"
import type { ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import { containerEndOf, containerOf, preStopMsOf, probeOutcomesOf, usageOf } from "./modelledOutcomes.ts"
import type { PodUsage } from "./NodeHost.ts"
import { behaviourOf, behaviourText, parseBehaviour } from "./PodBehaviour.ts"
import { PodNetwork } from "./PodNetwork.ts"
import { PodPlan } from "./PodPlan.ts"
import type { ContainerRuntime, PodObserver, PodRuntime } from "./PodRuntime.ts"
import type { ProbeOutcomes } from "./ProbeOutcomes.ts"
import { endOf, type PlannedEnd, type StopBehaviour, terminationPlan } from "./TerminationPlan.ts"

/** Who is told what pods use of the machine: a modelled host. */
export interface UsageSink {
  readonly setPodUsage: (uid: string, usage: PodUsage | undefined) => void
}

/**
 * Containers that exist only as times: they start, run and stop after fixed delays, or as the annotation `rollcall.dev/behaviour`
 * of their pod says. Nothing is kept of a pod that just runs.
 */
class ModelledPodRuntime implements PodRuntime, ContainerRuntime {
  private readonly timers: TimersShape
  private readonly options: ModelledPodRuntimeOptions
  private readonly host: UsageSink | undefined
  private readonly network: PodNetwork
  private readonly plans = new Map<PodObserver, PodPlan>()
  private adopts: boolean

  constructor(timers: TimersShape, options: ModelledPodRuntimeOptions, host: UsageSink | undefined) {
    this.timers = timers
    this.options = options
    this.host = host
    this.network = new PodNetwork(options.podCIDR ?? "10.244.0.0/24")
    this.adopts = options.adopts ?? true
  }

  get containers(): ContainerRuntime {
    return this
  }

  start(pod: Pod, observer: PodObserver): void {
    this.plan(observer, undefined, this.options.startMs ?? 1_000, () => {
      for (const { name } of pod.spec.containers) this.planEnd(pod, name, observer)
      observer.started(this.network.take())
    })
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.startContainer(pod, container, true, observer)
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    const text = behaviourText(pod)
    if (text !== undefined) this.read(text, observer)
    this.planOf(observer).running = new Set()
    this.plan(observer, undefined, this.options.startMs ?? 1_000, () => observer.sandboxReady(this.network.take()))
  }

  startContainer(pod: Pod, container: string, again: boolean, observer: PodObserver): void {
    const plan = this.plans.get(observer)
    const behaviour = behaviourOf(plan?.behaviour, container)
    const pullsLeft = behaviour?.imagePullFailTimes ?? (behaviour?.imagePull === "fail" ? Number.POSITIVE_INFINITY : 0)
    if (plan !== undefined && pullsLeft > plan.pulls(container)) {
      plan.pulled(container)
      const image = JSON.stringify(containerOf(pod, container)?.image ?? "")
      const failure = { reason: "ErrImagePull", message: `failed to resolve reference ${image}: not found` }
      this.plan(observer, container, 0, () => observer.containerFailed(container, failure))
      return
    }
    const startSeconds = behaviour?.startSeconds
    const delayMs = startSeconds === undefined ? (again ? (this.options.restartMs ?? 500) : 0) : startSeconds * 1000
    this.plan(observer, container, delayMs, () => {
      this.planEnd(pod, container, observer)
      this.plans.get(observer)?.up(container)
      this.tellUsage(pod, observer)
      observer.containerStarted(container)
    })
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.plans.get(observer)?.drop(this.timers, container)
    this.planExit(pod, observer, endOf(container, graceSeconds * 1000, this.stopBehaviour(pod, container, observer)))
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const plan = this.plans.get(observer)
    const runs = plan?.running
    plan?.drop(this.timers, undefined)
    const stops = terminationPlan(
      pod,
      (name) =>
        runs === undefined ? pod.spec.containers.some((container) => container.name === name) : runs.has(name),
      graceSeconds * 1000,
      (name) => this.stopBehaviour(pod, name, observer)
    )
    const now = this.timers.now()
    const last = stops.reduce<PlannedEnd | undefined>(
      (latest, end) => (latest === undefined || end.afterMs >= latest.afterMs ? end : latest),
      undefined
    )
    // Asked again, with less grace: nothing ends later than it would have.
    const endsAtMs = Math.min(now + (last?.afterMs ?? 0), plan?.stopsAtMs ?? Number.POSITIVE_INFINITY)
    if (runs !== undefined) {
      for (const end of stops) {
        if (now + end.afterMs > endsAtMs || (now + end.afterMs === endsAtMs && end.exitCode === last?.exitCode))
          continue
        this.planExit(pod, observer, end)
      }
    }
    this.plan(observer, undefined, endsAtMs - now, () => {
      const { podIP } = pod.status ?? {}
      if (podIP !== undefined) this.network.give(podIP)
      this.forget(pod, observer)
      observer.stopped(last?.exitCode ?? this.options.stopExitCode ?? 0)
    })
    const planned = this.plans.get(observer)
    if (planned !== undefined) planned.stopsAtMs = endsAtMs
  }

  probeOutcomes(_: Pod, container: string, observer: PodObserver): ProbeOutcomes | undefined {
    return probeOutcomesOf(behaviourOf(this.plans.get(observer)?.behaviour, container))
  }

  setPodCIDR(cidrs: string): void {
    const first = cidrs.split(",").find((cidr) => cidr.includes("."))
    if (first !== undefined) this.network.setRange(first)
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    if (!this.adopts || pod.status?.phase !== "Running") return false
    if (isPlainPod(pod)) {
      for (const { name } of pod.spec.containers) this.planEnd(pod, name, observer)
      return true
    }
    const text = behaviourText(pod)
    if (text !== undefined) this.read(text, observer)
    const plan = this.planOf(observer)
    plan.running = new Set()
    for (const { name, state } of [
      ...(pod.status.initContainerStatuses ?? []),
      ...(pod.status.containerStatuses ?? [])
    ]) {
      if (state?.running === undefined) continue
      this.planEnd(pod, name, observer)
      plan.up(name)
    }
    this.tellUsage(pod, observer)
    return true
  }

  powerOff(): void {
    for (const plan of this.plans.values()) {
      plan.drop(this.timers, undefined)
      if (plan.usageOf !== undefined) this.host?.setPodUsage(plan.usageOf, undefined)
    }
    this.plans.clear()
    this.network.clear()
    this.adopts = false
  }

  private read(text: string, observer: PodObserver): void {
    const parsed = parseBehaviour(text)
    if (Result.isSuccess(parsed)) this.planOf(observer).behaviour = parsed.success
    else this.plan(observer, undefined, 0, () => observer.warned("InvalidBehaviour", parsed.failure))
  }

  private stopBehaviour(pod: Pod, container: string, observer: PodObserver): StopBehaviour {
    const { stopExitCode = 0, stopMs = 1_000 } = this.options
    const behaviour = behaviourOf(this.plans.get(observer)?.behaviour, container)
    return {
      stopMs: behaviour?.stopSeconds === undefined ? stopMs : behaviour.stopSeconds * 1000,
      exitCode: behaviour?.stopExitCode ?? stopExitCode,
      preStopMs: preStopMsOf(pod, container, behaviour)
    }
  }

  /** The container is up: does it end by itself? */
  private planEnd(pod: Pod, container: string, observer: PodObserver): void {
    const plan = this.plans.get(observer)
    const behaviour = behaviourOf(plan?.behaviour, container)
    const end = containerEndOf(pod, container, behaviour, plan?.runs(container) ?? 0, this.options)
    if (end !== undefined) this.planExit(pod, observer, { name: container, ...end })
  }

  private planExit(pod: Pod, observer: PodObserver, { afterMs, exitCode, name }: PlannedEnd): void {
    this.plan(observer, name, afterMs, () => {
      const plan = this.plans.get(observer)
      plan?.drop(this.timers, name)
      plan?.down(name)
      this.tellUsage(pod, observer)
      observer.containerExited(name, exitCode)
    })
  }

  private tellUsage(pod: Pod, observer: PodObserver): void {
    const plan = this.plans.get(observer)
    const { uid } = pod.metadata
    if (this.host === undefined || plan?.behaviour === undefined || uid === undefined) return
    const usage = usageOf(plan.behaviour, plan.running ?? [])
    if (usage === undefined && plan.usageOf === undefined) return
    plan.usageOf = uid
    this.host.setPodUsage(uid, usage)
  }

  private forget({ metadata }: Pod, observer: PodObserver): void {
    if (this.plans.get(observer)?.usageOf !== undefined) this.host?.setPodUsage(metadata.uid ?? "", undefined)
    this.plans.delete(observer)
  }

  private planOf(observer: PodObserver): PodPlan {
    const known = this.plans.get(observer)
    if (known !== undefined) return known
    const plan = new PodPlan()
    this.plans.set(observer, plan)
    return plan
  }

  private plan(observer: PodObserver, container: string | undefined, delayMs: number, run: () => void): void {
    const plan = this.planOf(observer)
    const timer = this.timers.after(delayMs, () => {
      plan.done(timer)
      if (plan.isEmpty) this.plans.delete(observer)
      run()
    })
    plan.add(timer, container)
  }
}

/** Containers that exist only as times. `host` is told what pods with a behaviour use of it. */
export const makeModelledPodRuntime = (
  timers: TimersShape,
  options: ModelledPodRuntimeOptions = {},
  host?: UsageSink
): PodRuntime => new ModelledPodRuntime(timers, options, host)
