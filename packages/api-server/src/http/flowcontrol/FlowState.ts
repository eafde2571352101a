import type { FlowSchema } from "@rollcall/api"
import { Histogram } from "./Histogram.ts"
import { deal, hashOfFlow } from "./shuffleSharding.ts"

/** Flows whose hands are kept. */
const MAX_HANDS = 8192
/** Upstream: requestDurationSecondsBuckets of flowcontrol/metrics. */
const DURATIONS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

export type RefusalReason = "queue-full" | "concurrency-limit" | "time-out"

/** A FlowSchema at work: what it counts, and the hands of its flows. */
export class FlowState {
  readonly name: string
  schema: FlowSchema
  private readonly hands = new Map<string, ReadonlyArray<number>>()
  private deck = 0
  private handSize = 0
  dispatched = 0
  readonly rejected: Record<RefusalReason, number> = { "queue-full": 0, "concurrency-limit": 0, "time-out": 0 }
  waiting = 0
  waitingSeats = 0
  executing = 0
  executingSeats = 0
  readonly waitSeconds = { true: new Histogram(DURATIONS), false: new Histogram(DURATIONS) }
  readonly executionSeconds = { regular: new Histogram(DURATIONS), watch: new Histogram(DURATIONS) }

  constructor(schema: FlowSchema) {
    this.name = schema.metadata.name ?? ""
    this.schema = schema
  }

  get uid(): string {
    return this.schema.metadata.uid ?? ""
  }

  /** The queues of a flow. Hashing costs more than all else here, so the hands of flows that come again are kept. */
  handOf(distinguisher: string, deck: number, handSize: number): ReadonlyArray<number> {
    if (deck !== this.deck || handSize !== this.handSize) {
      this.hands.clear()
      this.deck = deck
      this.handSize = handSize
    }
    const known = this.hands.get(distinguisher)
    if (known !== undefined) return known
    if (this.hands.size >= MAX_HANDS) {
      const oldest = this.hands.keys().next()
      if (oldest.done !== true) this.hands.delete(oldest.value)
    }
    const made = deal(hashOfFlow(this.name, distinguisher), deck, handSize)
    this.hands.set(distinguisher, made)
    return made
  }
}
