import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import { PodNetwork } from "./PodNetwork.ts"
import type { PodObserver, PodRuntime } from "./PodRuntime.ts"

/** How a container that is not made to run for ever ends. */
export interface ContainerEnd {
  readonly afterMs: number
  readonly exitCode: number
}

export interface ModelledPodRuntimeOptions {
  /** From the order to start a pod until all its containers run: sandbox, images, init containers. */
  readonly startMs?: number
  /** From the order to restart one container until it runs. */
  readonly restartMs?: number
  /** How long containers take to end once asked; never longer than the grace period. */
  readonly stopMs?: number
  /** What they answer to SIGTERM. */
  readonly stopExitCode?: number
  /** How a container ends by itself; undefined: never. */
  readonly outcome?: (pod: Pod, container: string) => ContainerEnd | undefined
  /** Pods that the API calls Running when the kubelet first sees them do run. */
  readonly adopts?: boolean
  /** Until the Node has a podCIDR. */
  readonly podCIDR?: string
}

const KILLED_EXIT_CODE = 137

class ModelledPodRuntime implements PodRuntime {
  private readonly timers: TimersShape
  private readonly options: ModelledPodRuntimeOptions
  private readonly network: PodNetwork
  /** What is planned for pods: nothing for one that just runs. */
  private readonly plans = new Map<PodObserver, Array<Timer>>()
  private adopts: boolean

  constructor(timers: TimersShape, options: ModelledPodRuntimeOptions) {
    this.timers = timers
    this.options = options
    this.network = new PodNetwork(options.podCIDR ?? "10.244.0.0/24")
    this.adopts = options.adopts ?? true
  }

  start(pod: Pod, observer: PodObserver): void {
    this.plan(observer, this.options.startMs ?? 1_000, () => {
      for (const { name } of pod.spec.containers) this.planEnd(pod, name, observer)
      observer.started(this.network.take())
    })
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.plan(observer, this.options.restartMs ?? 500, () => {
      this.planEnd(pod, container, observer)
      observer.containerStarted(container)
    })
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    this.drop(observer)
    const { stopExitCode = 0, stopMs = 1_000 } = this.options
    const graceMs = graceSeconds * 1000
    this.plan(observer, Math.min(stopMs, graceMs), () => {
      const { podIP } = pod.status ?? {}
      if (podIP !== undefined) this.network.give(podIP)
      observer.stopped(stopMs > graceMs ? KILLED_EXIT_CODE : stopExitCode)
    })
  }

  setPodCIDR(cidrs: string): void {
    const first = cidrs.split(",").find((cidr) => cidr.includes("."))
    if (first !== undefined) this.network.setRange(first)
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    if (!this.adopts || pod.status?.phase !== "Running") return false
    for (const { name } of pod.spec.containers) this.planEnd(pod, name, observer)
    return true
  }

  powerOff(): void {
    for (const observer of [...this.plans.keys()]) this.drop(observer)
    this.network.clear()
    this.adopts = false
  }

  private planEnd(pod: Pod, container: string, observer: PodObserver): void {
    const end = this.options.outcome?.(pod, container)
    if (end !== undefined) this.plan(observer, end.afterMs, () => observer.containerExited(container, end.exitCode))
  }

  private plan(observer: PodObserver, delayMs: number, run: () => void): void {
    const timer = this.timers.after(delayMs, () => {
      const rest = this.plans.get(observer)?.filter((planned) => planned !== timer) ?? []
      if (rest.length === 0) this.plans.delete(observer)
      else this.plans.set(observer, rest)
      run()
    })
    const planned = this.plans.get(observer)
    if (planned === undefined) this.plans.set(observer, [timer])
    else planned.push(timer)
  }

  private drop(observer: PodObserver): void {
    for (const timer of this.plans.get(observer) ?? []) this.timers.cancel(timer)
    this.plans.delete(observer)
  }
}

/** Containers that exist only as times: they start, run and stop after fixed delays. */
export const makeModelledPodRuntime = (timers: TimersShape, options: ModelledPodRuntimeOptions = {}): PodRuntime =>
  new ModelledPodRuntime(timers, options)
