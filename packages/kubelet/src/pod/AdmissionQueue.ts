import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { PodRecord } from "./PodRecord.ts"

/** What the owner of the pods does for the queue. */
export interface AdmissionCallbacks {
  /**
   * Runs the admit handlers, which may answer later: `decide` gets the refusal, or undefined if the pod is admitted.
   * `failed` is called instead if a handler threw.
   */
  readonly runAdmitHandlers: (
    record: PodRecord,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void
  ) => void
  /** Whether the pod is still to be started: it may have been deleted while it waited. */
  readonly mayStart: (record: PodRecord) => boolean
  /** Handles the decision about a pod that may still start. */
  readonly admissionDecided: (record: PodRecord, refusal: PodRefusal | undefined) => void
  /** Handles an exception of a handler: the pod is queued again later, and the pods after it are admitted. */
  readonly retryAfterError: (record: PodRecord, error: unknown) => void
}

/**
 * Admits new pods one after another: each decision counts the pods that were admitted before. While one pod waits for
 * its decision, the later ones wait too. Upstream: pkg/kubelet/kubelet.go HandlePodAdditions.
 */
export class AdmissionQueue {
  private readonly callbacks: AdmissionCallbacks
  private current: PodRecord | undefined = undefined
  /** The pods behind the current one; undefined when there are none. */
  private waiting: Set<PodRecord> | undefined = undefined
  /** The number of the current admission: a decision for another number is ignored, because the queue was cleared. */
  private admissionId = 0

  constructor(callbacks: AdmissionCallbacks) {
    this.callbacks = callbacks
  }

  /** Whether no pod waits for its decision. */
  get isIdle(): boolean {
    return this.current === undefined && this.waiting === undefined
  }

  /** Queues the pod. A pod that is queued already keeps its place. */
  enqueue(record: PodRecord): void {
    if (record === this.current) return
    if (this.isIdle) {
      this.admit(record)
      return
    }
    this.waiting ??= new Set()
    this.waiting.add(record)
  }

  /** Drops all queued pods. */
  clear(): void {
    this.admissionId++
    this.waiting = undefined
    this.current = undefined
  }

  private admit(record: PodRecord): void {
    const admissionId = ++this.admissionId
    this.current = record
    let inCall = true
    const finish = (act: () => void) => {
      if (admissionId !== this.admissionId) return
      this.admissionId++
      this.current = undefined
      act()
      if (!inCall) this.admitNext()
    }
    this.callbacks.runAdmitHandlers(
      record,
      (refusal) =>
        finish(() => {
          if (this.callbacks.mayStart(record)) this.callbacks.admissionDecided(record, refusal)
        }),
      (error) => finish(() => this.callbacks.retryAfterError(record, error))
    )
    inCall = false
    if (this.current === undefined) this.admitNext()
  }

  private admitNext(): void {
    const { waiting } = this
    if (waiting === undefined || this.current !== undefined) return
    for (const record of waiting) {
      waiting.delete(record)
      if (waiting.size === 0) this.waiting = undefined
      if (!this.callbacks.mayStart(record)) continue
      this.admit(record)
      return
    }
    this.waiting = undefined
  }
}
