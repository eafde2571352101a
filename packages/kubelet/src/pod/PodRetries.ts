import { keyOf } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import type { PodRecord } from "./PodRecord.ts"

/**
 * The delay, and the greatest fraction added to it. Upstream: pkg/kubelet/kubelet.go backOffPeriod,
 * pkg/kubelet/pod_workers.go workerBackOffPeriodJitterFactor.
 */
const BACK_OFF_MS = 10_000
const JITTER = 0.5

/** Returns the delay after a failed sync of a pod. */
export const retryDelayMs = ({ random }: Pick<Env, "random">): number => BACK_OFF_MS * (1 + JITTER * random.next())

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
