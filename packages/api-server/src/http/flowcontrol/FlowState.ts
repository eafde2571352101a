import { createHash } from "node:crypto"
import type { FlowSchema } from "@rollcall/api"
import { Histogram } from "../metrics/Metrics.ts"

/** Upstream: hashFlowID of apf_controller.go. */
export const hashOfFlow = (schema: string, distinguisher: string): bigint =>
  createHash("sha256").update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0)

/**
 * The queues that a flow may use: `handSize` different numbers from 0 to `deckSize - 1`, dealt by the hash of its name, so that two flows
 * seldom share all of them. Upstream: apiserver/pkg/util/shufflesharding.
 */
export const deal = (hash: bigint, deckSize: number, handSize: number): ReadonlyArray<number> => {
  const hand: Array<number> = []
  const remainders: Array<number> = []
  let rest = hash
  for (let index = 0; index < handSize; index++) {
    const left = BigInt(deckSize - index)
    remainders.push(Number(rest % left))
    rest /= left
  }
  for (let index = 0; index < handSize; index++) {
    let card = remainders[index] as number
    for (let before = index - 1; before >= 0; before--) if (card >= (remainders[before] as number)) card++
    hand.push(card)
  }
  return hand
}

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
