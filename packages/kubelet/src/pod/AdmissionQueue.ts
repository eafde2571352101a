import type { PodRefusal } from "./PodAdmission.ts"
import type { PodRecord } from "./PodRecord.ts"

/** Asks the admission chain about one pod; the answer may come later. */
export type Ask = (record: PodRecord, decide: (refusal: PodRefusal | undefined) => void) => void

/**
 * New pods are offered to admission one after another: each counts those admitted before it among the others. While one waits
 * for its answer, those behind it wait too. Upstream: pkg/kubelet/kubelet.go HandlePodAdditions.
 */
export class AdmissionQueue {
  private readonly ask: Ask
  private readonly isWanted: (record: PodRecord) => boolean
  private readonly decided: (record: PodRecord, refusal: PodRefusal | undefined) => void
  /** Behind the one that is being asked about. */
  private readonly waiting = new Set<PodRecord>()
  private current: PodRecord | undefined = undefined
  /** Answers to what was asked in an earlier turn are not listened to. */
  private turn = 0

  /** `isWanted`: may a pod whose turn has come still start? It may have been deleted while it waited. */
  constructor(
    ask: Ask,
    isWanted: (record: PodRecord) => boolean,
    decided: (record: PodRecord, refusal: PodRefusal | undefined) => void
  ) {
    this.ask = ask
    this.isWanted = isWanted
    this.decided = decided
  }

  /** The pod takes its turn; one that waits already keeps its place. */
  offer(record: PodRecord): void {
    if (record === this.current) return
    this.waiting.add(record)
    if (this.current === undefined) this.next()
  }

  /** Nobody waits any more. */
  clear(): void {
    this.turn++
    this.waiting.clear()
    this.current = undefined
  }

  private next(): void {
    for (const record of this.waiting) {
      this.waiting.delete(record)
      if (!this.isWanted(record)) continue
      if (!this.answersAtOnce(record)) return
    }
  }

  private answersAtOnce(record: PodRecord): boolean {
    const turn = ++this.turn
    this.current = record
    let inCall = true
    this.ask(record, (refusal) => {
      if (turn !== this.turn) return
      this.turn++
      this.current = undefined
      if (this.isWanted(record)) this.decided(record, refusal)
      if (!inCall) this.next()
    })
    inCall = false
    return this.current === undefined
  }
}
