import { keyOf } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Upstream: pkg/kubelet/kubelet.go backOffPeriod. */
const BACK_OFF_MS = 10_000

type Jitter = Pick<Env, "model" | "random">

/** Returns the delay after a sync of a pod that failed. Upstream: pkg/kubelet/pod_workers.go completeWork. */
export const retryDelayMs = (env: Jitter): number => jittered(env, BACK_OFF_MS)

/** Returns the delay after a sync of a pod that succeeded. Upstream: pkg/kubelet/pod_workers.go completeWork. */
export const resyncDelayMs = (env: Jitter & Pick<Env, "config">): number => jittered(env, env.config.syncFrequencyMs)

/**
 * Returns the delay after a sync that has left a container in back-off for this long. The wait is lengthened like any
 * other, and the pod is synced at least that often in any case.
 */
export const backOffDelayMs = (env: Jitter, leftMs: number, syncFrequencyMs: number): number =>
  jittered(env, Math.min(Math.max(0, leftMs), syncFrequencyMs))

const jittered = ({ model, random }: Jitter, ms: number): number => ms * (1 + model.backOffJitter * random.next())

/** Calls back after a delay for each pod whose sync threw. The errors are passed to `timers.handleError`. */
export class PodRetries {
  private readonly env: Env
  /** Created for the first error: most kubelets never have one. */
  private waiting: Map<PodRecord, Timer> | undefined = undefined

  constructor(env: Env) {
    this.env = env
  }

  /** Reports the error, and calls `retry` after the back-off. A pod that waits already keeps its time. */
  after(record: PodRecord, error: unknown, retry: () => void): void {
    const { name, timers } = this.env
    timers.handleError("pod worker", error, { node: name, pod: keyOf(record.pod) })
    this.waiting ??= new Map()
    if (this.waiting.has(record)) return
    const timer = timers.after(retryDelayMs(this.env), () => {
      this.waiting?.delete(record)
      try {
        retry()
      } catch (again) {
        this.after(record, again, retry)
      }
    })
    this.waiting.set(record, timer)
  }

  clear(): void {
    for (const timer of this.waiting?.values() ?? []) this.env.timers.cancel(timer)
    this.waiting = undefined
  }
}
