import { keyOf } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Upstream: pkg/kubelet/kubelet.go backOffPeriod, pkg/kubelet/pod_workers.go workerBackOffPeriodJitterFactor. */
const BACK_OFF_MS = 10_000
const JITTER = 0.5

/** Pods whose sync threw, each synced again after a delay. The errors are passed to `handleError`. */
export class PodRetries {
  private readonly env: Env
  /** Created for the first error: most kubelets never have one. */
  private waiting: Map<PodRecord, Timer> | undefined = undefined

  constructor(env: Env) {
    this.env = env
  }

  /** A pod that waits already keeps its time. */
  after(record: PodRecord, error: unknown, look: () => void): void {
    const { chance, name, timers } = this.env
    timers.handleError("pod worker", error, { node: name, pod: keyOf(record.pod) })
    this.waiting ??= new Map()
    if (this.waiting.has(record)) return
    const timer = timers.after(BACK_OFF_MS * (1 + JITTER * chance.next()), () => {
      this.waiting?.delete(record)
      try {
        look()
      } catch (again) {
        this.after(record, again, look)
      }
    })
    this.waiting.set(record, timer)
  }

  clear(): void {
    for (const timer of this.waiting?.values() ?? []) this.env.timers.cancel(timer)
    this.waiting = undefined
  }
}
