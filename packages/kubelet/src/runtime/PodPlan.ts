import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import { usageOf } from "./modelledOutcomes.ts"
import type { PodBehaviour } from "./PodBehaviour.ts"
import type { HookEnd } from "./PodRuntime.ts"
import type { UsageSink } from "./UsageSink.ts"

interface PlannedCall {
  readonly timer: Timer | undefined
  readonly container: string | undefined
  /** Stops what follows the command of the container; absent for a timer. */
  readonly stop?: () => void
  /** Whether the container has ended, and is about to be reported. */
  readonly isOver?: boolean
}

interface Counts {
  runs: number
  pulls: number
}

/** The state and the timers that a modelled runtime keeps for one pod. */
export class PodPlan {
  behaviour: PodBehaviour | undefined = undefined
  /** What the pod's containers use since its annotation has changed; until then its behaviour says so. */
  usage: PodBehaviour | undefined = undefined
  /** The names of the running containers; undefined for a pod that is started as a whole. */
  running: Set<string> | undefined = undefined
  /** When all containers will have stopped; undefined unless the pod is being stopped. */
  stopsAtMs: number | undefined = undefined
  /** The uid under which the pod's usage was reported to the host; undefined if none was. */
  usageOf: string | undefined = undefined
  /** When the containers started whose commands may trap signals; undefined if there are none. */
  trapping: Map<string, number> | undefined = undefined
  /** How the preStop hooks end of containers that are being stopped; undefined if there are none. */
  preStops: Map<string, HookEnd> | undefined = undefined
  private planned: ReadonlyArray<PlannedCall> = []
  private counts: Map<string, Counts> | undefined = undefined

  /** Whether its sandbox is being made, or waits for what it needs. */
  get isStarting(): boolean {
    return this.stopsAtMs === undefined && this.planned.some(({ container }) => container === undefined)
  }

  /** Whether there is no state and no timer, so that the plan can be dropped. */
  get isEmpty(): boolean {
    return (
      this.planned.length === 0 &&
      this.behaviour === undefined &&
      this.usage === undefined &&
      this.running === undefined &&
      this.trapping === undefined &&
      this.preStops === undefined &&
      this.stopsAtMs === undefined
    )
  }

  add(timer: Timer, container: string | undefined, isOver = false): void {
    this.planned = [...this.planned, { timer, container, isOver }]
  }

  /** Whether a container has ended by itself, and is about to be reported. */
  isOver(container: string): boolean {
    return this.planned.some((planned) => planned.isOver === true && planned.container === container)
  }

  /** Cancels what a stop makes void: all but the reports of containers that have ended. */
  dropForStop(timers: TimersShape): void {
    const over = this.planned.filter(({ isOver }) => isOver === true)
    this.planned = this.planned.filter(({ isOver }) => isOver !== true)
    this.drop(timers, undefined)
    this.planned = over
  }

  /** Keeps what stops the following of a container's command. */
  follow(stop: () => void, container: string): void {
    this.planned = [...this.planned, { timer: undefined, container, stop }]
  }

  trappingSince(container: string, startedMs: number): void {
    this.trapping ??= new Map()
    this.trapping.set(container, startedMs)
  }

  /** Removes a timer that has fired. */
  done(timer: Timer): void {
    this.planned = this.planned.filter((planned) => planned.timer !== timer)
  }

  /** Cancels the timers of one container, or of all, and follows no command of it. */
  drop(timers: TimersShape, container: string | undefined): void {
    for (const planned of this.planned) {
      if (container !== undefined && planned.container !== container) continue
      if (planned.timer !== undefined) timers.cancel(planned.timer)
      planned.stop?.()
    }
    this.planned = container === undefined ? [] : this.planned.filter((planned) => planned.container !== container)
  }

  /** Returns how the preStop hook of a container ends: `run` carries it out once for each stop. */
  preStopEnd(container: string, run: () => HookEnd | undefined): HookEnd | undefined {
    const known = this.preStops?.get(container)
    if (known !== undefined) return known
    const end = run()
    if (end === undefined) return undefined
    this.preStops ??= new Map()
    this.preStops.set(container, end)
    return end
  }

  /** Records the start of a container. */
  up(container: string): void {
    this.preStops?.delete(container)
    this.running?.add(container)
    this.countsOf(container).runs++
  }

  /** Records the exit of a container. */
  down(container: string): void {
    this.running?.delete(container)
  }

  /** Records a failed image pull. */
  pulled(container: string): void {
    this.countsOf(container).pulls++
  }

  /** Tells the host what the pod uses, if its behaviour says so or did. */
  report({ metadata: { uid }, spec }: Pod, host: UsageSink | undefined): void {
    const behaviour = this.usage ?? this.behaviour
    if (host === undefined || behaviour === undefined || uid === undefined) return
    const usage = usageOf(behaviour, this.running ?? spec.containers.map(({ name }) => name))
    if (usage === undefined && this.usageOf === undefined) return
    this.usageOf = uid
    host.setPodUsage(uid, usage)
  }

  /** Tells the host that the pod uses nothing any more. */
  reportEnd(host: UsageSink | undefined): void {
    if (this.usageOf !== undefined) host?.setPodUsage(this.usageOf, undefined)
  }

  /** Returns how often a container has been started. */
  runs(container: string): number {
    return this.counts?.get(container)?.runs ?? 0
  }

  /** Returns how often a container's image pull has failed. */
  pulls(container: string): number {
    return this.counts?.get(container)?.pulls ?? 0
  }

  private countsOf(container: string): Counts {
    this.counts ??= new Map()
    const known = this.counts.get(container) ?? { runs: 0, pulls: 0 }
    this.counts.set(container, known)
    return known
  }
}
