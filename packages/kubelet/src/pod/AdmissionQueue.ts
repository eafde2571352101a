import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Who asks and hears about pods whose turn has come. */
export interface AdmissionDesk {
  /** Asks the chain; the answer may come later. `failed`: there will be none, a handler threw. */
  readonly ask: (
    record: PodRecord,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void
  ) => void
  /** May the pod still start? It may have been deleted while it waited. */
  readonly isWanted: (record: PodRecord) => boolean
  readonly decided: (record: PodRecord, refusal: PodRefusal | undefined) => void
  /** The pod could not be asked about. It is offered anew later; those behind it take their turn. */
  readonly failed: (record: PodRecord, error: unknown) => void
}

/**
 * New pods are offered to admission one after another: each counts those admitted before it among the others. While one waits
 * for its answer, those behind it wait too. Upstream: pkg/kubelet/kubelet.go HandlePodAdditions.
 */
export class AdmissionQueue {
  private readonly desk: AdmissionDesk
  private current: PodRecord | undefined = undefined
  /** Behind the one that is being asked about. */
  private waiting: Set<PodRecord> | undefined = undefined
  /** Answers to what was asked in an earlier turn are not listened to. */
  private turn = 0

  constructor(desk: AdmissionDesk) {
    this.desk = desk
  }

  /** The pod takes its turn; one that waits already keeps its place. */
  offer(record: PodRecord): void {
    if (record === this.current) return
    if (this.current === undefined && this.waiting === undefined) {
      this.take(record)
      return
    }
    this.waiting ??= new Set()
    this.waiting.add(record)
  }

  /** Nobody waits any more. */
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
