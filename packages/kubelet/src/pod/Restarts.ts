import { formatDuration, type Pod } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { containerShouldRestart } from "./ContainerRestart.ts"
import { type Containers, containerBacksOff } from "./Containers.ts"
import { type CrashLoopLimits, decideRestart } from "./CrashLoopBackOff.ts"
import type { PodRecord } from "./PodRecord.ts"

const INITIAL_BACKOFF_MS = 10_000

const backOffMessage = ({ metadata }: Pod, container: string, backoffMs: number): string =>
  `back-off ${formatDuration(backoffMs)} restarting failed container=${container} ` +
  `pod=${metadata.name}_${metadata.namespace}(${metadata.uid})`

/** Starts exited containers of running pods again, after the pause of a crash loop. */
export class Restarts {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly restate: (record: PodRecord, containers: Containers) => void
  private readonly limits: CrashLoopLimits

  constructor(env: Env, runtime: PodRuntime, restate: (record: PodRecord, containers: Containers) => void) {
    this.env = env
    this.runtime = runtime
    this.restate = restate
    this.limits = { initialMs: INITIAL_BACKOFF_MS, maxMs: env.config.maxContainerRestartPeriodMs }
  }

  /** A container has just ended. */
  exited(record: PodRecord, name: string): void {
    record.exits ??= new Map()
    const backOff = record.exits.get(name)?.backOff
    record.exits.set(name, { finishedAtMs: this.env.timers.now(), backOff, restarting: false })
  }

  /** Restarts what may be restarted, and comes back when the next pause is over. */
  consider(record: PodRecord): void {
    this.cancel(record)
    if (record.exits === undefined) return
    const { timers } = this.env
    const now = timers.now()
    let againMs = Number.POSITIVE_INFINITY
    for (const { name, state, lastState } of record.containers.regular) {
      const exit = record.exits.get(name)
      const end = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated)
      if (exit === undefined || exit.restarting || end === undefined) continue
      const container = record.pod.spec.containers.find((candidate) => candidate.name === name)
      if (container === undefined) continue
      if (!containerShouldRestart(container, record.pod.spec.restartPolicy, end.exitCode)) continue
      const decision = decideRestart(exit.backOff, exit.finishedAtMs, now, this.limits)
      if (decision.restart) {
        record.exits.set(name, { ...exit, backOff: decision.record, restarting: true })
        this.runtime.restart(record.pod, name, record)
        continue
      }
      againMs = Math.min(againMs, decision.startNotBeforeMs)
      const message = backOffMessage(record.pod, name, decision.backoffMs)
      if (state?.waiting?.message !== message) this.restate(record, containerBacksOff(record.containers, name, message))
    }
    if (againMs < Number.POSITIVE_INFINITY) {
      record.timer = timers.at(againMs, () => {
        record.timer = undefined
        this.consider(record)
      })
    }
  }

  cancel(record: PodRecord): void {
    if (record.timer !== undefined) this.env.timers.cancel(record.timer)
    record.timer = undefined
  }
}
