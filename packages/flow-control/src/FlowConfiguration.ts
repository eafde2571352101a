import { createHash } from "node:crypto"
import type { FlowSchema } from "@rollcall/api"
import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  type PriorityLevelConfiguration,
  type PriorityLevelConfigurationSpec
} from "@rollcall/api"
import { Distribution } from "@rollcall/time"
import { DURATION_BUCKETS, QUEUE_BUCKETS, SEAT_BUCKETS } from "./buckets.ts"
import type { FlowRequestInfo, FlowUser } from "./FlowControl.ts"
import { borrow, seatLimits } from "./limits.ts"
import { byPrecedence, matchesFlowSchema } from "./matchFlowSchema.ts"
import { isUsable, PriorityLevel } from "./PriorityLevel.ts"

/** A FlowSchema and the priority level of its requests. */
export interface Route {
  readonly flow: FlowState
  readonly level: PriorityLevel
}

const nameOf = ({ metadata }: FlowSchema | PriorityLevelConfiguration): string => metadata.name ?? ""

/**
 * The configuration from the objects of API Priority and Fairness: priority levels with their seats, and the
 * FlowSchemas that select them. Missing or invalid objects are ignored, except that mandatory ones always exist.
 * Upstream: apf_controller.go, cfgMeal.
 */
export class FlowConfiguration {
  /** The server's seats. */
  private readonly total: number
  levels: ReadonlyMap<string, PriorityLevel> = new Map()
  flows: ReadonlyMap<string, FlowState> = new Map()
  /** In matching order. */
  private routes: ReadonlyArray<Route> = []
  /** The fraction of their targets that levels got in the last adjustment. */
  fairFraction = 0

  constructor(total: number, nowMs: number) {
    this.total = total
    this.digest([], [], nowMs)
  }

  /** Applies the current objects; levels and flows that remain keep their state. */
  digest(levels: ReadonlyArray<PriorityLevelConfiguration>, schemas: ReadonlyArray<FlowSchema>, nowMs: number): void {
    const next = new Map<string, PriorityLevel>()
    const usable = levels.filter(isUsable)
    const known = new Set(usable.map(nameOf))
    const missing = mandatoryPriorityLevels.filter((level) => !known.has(nameOf(level)))
    for (const configuration of [...usable, ...missing]) {
      const name = nameOf(configuration)
      const level = this.levels.get(name) ?? new PriorityLevel(configuration, nowMs)
      level.configure(configuration)
      level.isQuiescing = false
      next.set(name, level)
    }
    this.routes = this.routesOf(schemas, next)
    this.flows = new Map(this.routes.map(({ flow }) => [flow.name, flow]))
    for (const [name, level] of this.levels) {
      if (next.has(name) || level.queues.isIdle) continue
      level.isQuiescing = true
      next.set(name, level)
    }
    this.levels = next
    this.divideSeats()
    this.adjust(nowMs)
  }

  /** Returns the first matching route; `catch-all` if none matches. */
  classify(info: FlowRequestInfo, user: FlowUser): Route {
    for (const route of this.routes) if (matchesFlowSchema(info, user, route.flow.schema)) return route
    return this.routes.find(({ flow }) => flow.name === "catch-all") as Route
  }

  /** Lends the unused seats of levels to those that need them. */
  adjust(nowMs: number): void {
    const levels = [...this.levels.values()]
    const { current, fairFraction } = borrow(levels.map((level) => level.endDemandPeriod(nowMs)))
    levels.forEach((level, index) => {
      level.setCurrentLimit(current[index] as number)
    })
    this.fairFraction = fairFraction
  }

  /** FlowSchemas without a usable level are skipped; mandatory ones without an object come first or last. */
  private routesOf(schemas: ReadonlyArray<FlowSchema>, levels: ReadonlyMap<string, PriorityLevel>): Array<Route> {
    const routeOf = (schema: FlowSchema): ReadonlyArray<Route> => {
      const level = levels.get(schema.spec?.priorityLevelConfiguration?.name ?? "")
      if (level === undefined) return []
      const flow = this.flows.get(nameOf(schema)) ?? new FlowState(schema)
      flow.schema = schema
      return [{ flow, level }]
    }
    const routes = schemas.toSorted(byPrecedence).flatMap(routeOf)
    const known = new Set(routes.map(({ flow }) => flow.name))
    const missing = mandatoryFlowSchemas.filter((schema) => !known.has(nameOf(schema)))
    const [first, last] = [missing.filter(isFirst), missing.filter((schema) => !isFirst(schema))]
    return [...first.flatMap(routeOf), ...routes, ...last.flatMap(routeOf)]
  }

  private divideSeats(): void {
    const levels = [...this.levels.values()]
    const specs = levels.map(({ configuration }) => configuration.spec as PriorityLevelConfigurationSpec)
    seatLimits(this.total, specs).forEach((limits, index) => {
      levels[index]?.setLimits(limits)
    })
  }
}

/** Whether a mandatory schema is tried before all others; `catch-all` is tried last. */
const isFirst = (schema: FlowSchema): boolean => nameOf(schema) === "exempt"

/** Returns the hash of a flow's name. Upstream: hashFlowID of apf_controller.go. */
export const hashOfFlow = (schema: string, distinguisher: string): bigint =>
  createHash("sha256").update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0)

/**
 * Deals the queues of a flow: `handSize` different numbers from 0 to `deckSize - 1`, chosen by the hash of its name
 * (shuffle sharding), so that two flows rarely share all of them. Upstream: apiserver/pkg/util/shufflesharding.
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

/** The number of flows of a FlowSchema whose hands are cached. */
const MAX_HANDS = 8192
const durations = () => new Distribution(DURATION_BUCKETS)

export type RefusalReason = "queue-full" | "concurrency-limit" | "time-out"

/** A FlowSchema at run time: its counters, and the hands of its flows. */
export class FlowState {
  readonly name: string
  schema: FlowSchema
  private readonly hands = new Map<string, ReadonlyArray<number>>()
  /** The number of queues and the hand size for which `hands` were dealt. */
  private deck = 0
  private handSize = 0
  dispatched = 0
  readonly rejected: Record<RefusalReason, number> = { "queue-full": 0, "concurrency-limit": 0, "time-out": 0 }
  waiting = 0
  waitingSeats = 0
  executing = 0
  executingSeats = 0
  readonly waitSeconds = { true: durations(), false: durations() }
  readonly executionSeconds = { regular: durations(), watch: durations() }
  readonly queueLengths = new Distribution(QUEUE_BUCKETS)
  readonly seats = new Distribution(SEAT_BUCKETS)

  constructor(schema: FlowSchema) {
    this.name = schema.metadata.name ?? ""
    this.schema = schema
  }

  get uid(): string {
    return this.schema.metadata.uid ?? ""
  }

  /** Returns the queues of a flow. Hashing is the most expensive step here, so hands are cached. */
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
