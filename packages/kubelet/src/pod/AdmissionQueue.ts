import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { PodRecord } from "./PodRecord.ts"

/** The callbacks of the queue. */
export interface AdmissionCallbacks {
  /** Runs the admit handlers; the answer may come later. `failed`: a handler threw, and there is no answer. */
  readonly ask: (
    record: PodRecord,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void
  ) => void
  /** Whether the pod may still start. It may have been deleted while it waited. */
  readonly isWanted: (record: PodRecord) => boolean
  readonly decided: (record: PodRecord, refusal: PodRefusal | undefined) => void
  /** A handler threw. The pod is offered again later; the pods after it are processed. */
  readonly failed: (record: PodRecord, error: unknown) => void
}

/**
 * Admits new pods one after another: each sees those admitted before it as other pods. While one waits for its answer,
 * the later ones wait too. Upstream: pkg/kubelet/kubelet.go HandlePodAdditions.
 */
export class AdmissionQueue {
  private readonly desk: AdmissionCallbacks
  private current: PodRecord | undefined = undefined
  /** The pods behind the current one. */
  private waiting: Set<PodRecord> | undefined = undefined
  /** Answers from before a clear are ignored. */
  private turn = 0

  constructor(desk: AdmissionCallbacks) {
    this.desk = desk
  }

  /** Queues the pod; a queued one keeps its place. */
  offer(record: PodRecord): void {
    if (record === this.current) return
    if (this.current === undefined && this.waiting === undefined) {
      this.take(record)
      return
    }
    this.waiting ??= new Set()
    this.waiting.add(record)
  }

  /** Drops all queued pods. */
  clear(): void {
    this.turn++
    this.waiting = undefined
    this.current = undefined
  }

  private take(record: PodRecord): void {
    const turn = ++this.turn
    this.current = record
    let inCall = true
    const over = (act: () => void) => {
      if (turn !== this.turn) return
      this.turn++
      this.current = undefined
      act()
      if (!inCall) this.next()
    }
    this.desk.ask(
      record,
      (refusal) =>
        over(() => {
          if (this.desk.isWanted(record)) this.desk.decided(record, refusal)
        }),
      (error) => over(() => this.desk.failed(record, error))
    )
    inCall = false
    if (this.current === undefined) this.next()
  }

  private next(): void {
    const { waiting } = this
    if (waiting === undefined || this.current !== undefined) return
    for (const record of waiting) {
      waiting.delete(record)
      if (waiting.size === 0) this.waiting = undefined
      if (!this.desk.isWanted(record)) continue
      this.take(record)
      return
    }
    this.waiting = undefined
  }
}
