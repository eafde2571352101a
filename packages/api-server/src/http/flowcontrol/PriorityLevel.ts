import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from "@rollcall/api"
import { DroppedRequests } from "./DroppedRequests.ts"
import { type Demand, maxSeatsOf, type SeatLimits } from "./limits.ts"
import { QueueSet, type QueueSetConfig } from "./QueueSet.ts"
import { SeatDemand } from "./SeatDemand.ts"

/** More queues than that tell flows no further apart, and each costs memory. */
const MAX_QUEUES = 4096
/** Exempt requests wait for their turn only: by flow, so that they do not hold each other up either. */
const EXEMPT_QUEUES = 64

/** What is wrong with a level that cannot be used. Upstream: queueSetCompleterForPL. */
export const isUsable = ({ metadata, spec }: PriorityLevelConfiguration): boolean => {
  if (spec === undefined) return false
  const { exempt, limited, type } = spec
  if ((type === "Limited") !== (limited !== undefined) || (type === "Exempt") !== (exempt !== undefined)) return false
  if ((type === "Exempt") !== (metadata.name === "exempt")) return false
  const response = limited?.limitResponse
  return limited === undefined || (response?.type === "Reject") === (response?.queuing === undefined)
}

export const queueSetConfig = ({ limited, type }: PriorityLevelConfigurationSpec): QueueSetConfig => {
  if (type === "Exempt") return { manner: "exempt", queues: EXEMPT_QUEUES, handSize: 1, queueLengthLimit: 0 }
  const queuing = limited?.limitResponse?.queuing
  if (queuing === undefined) return { manner: "reject", queues: 1, handSize: 1, queueLengthLimit: 0 }
  const { handSize = 1, queueLengthLimit = 1, queues = 1 } = queuing
  const count = Math.max(1, Math.min(queues, MAX_QUEUES))
  return { manner: "queue", queues: count, handSize: Math.min(handSize, count), queueLengthLimit }
}

/** A priority level at work. Upstream: priorityLevelState. */
export class PriorityLevel {
  readonly name: string
  configuration: PriorityLevelConfiguration
  config: QueueSetConfig
  limits: SeatLimits = { nominal: 0, min: 0, max: 0 }
  /** The most seats of one request; 0: as many as any. */
  maxSeats = 0
  /** The seats that it has for now: its own, less what it has lent, and what it has borrowed. */
  currentLimit = 0
  readonly queues: QueueSet
  readonly demand: SeatDemand
  readonly dropped = new DroppedRequests()
  /** There is no such object any more: it goes when its requests have been served. */
  isQuiescing = false
  /** Time that its requests have had, in milliseconds for each of its seats. */
  pass = 0
  dispatched = 0
  rejected = 0
  timedOut = 0
  cancelled = 0

  constructor(configuration: PriorityLevelConfiguration, nowMs: number) {
    this.name = configuration.metadata.name ?? ""
    this.configuration = configuration
    this.config = queueSetConfig(configuration.spec as PriorityLevelConfigurationSpec)
    this.queues = new QueueSet(this.config, this.isExempt ? Number.POSITIVE_INFINITY : 0)
    this.demand = new SeatDemand(nowMs)
  }

  get uid(): string {
    return this.configuration.metadata.uid ?? ""
  }

  get isExempt(): boolean {
    return this.config.manner === "exempt"
  }

  configure(configuration: PriorityLevelConfiguration): void {
    this.configuration = configuration
    this.config = queueSetConfig(configuration.spec as PriorityLevelConfigurationSpec)
    this.queues.configure(this.config)
  }

  setLimits(limits: SeatLimits): void {
    this.limits = limits
    this.maxSeats = maxSeatsOf(limits.nominal, this.config.manner === "queue" ? this.config.handSize : undefined)
  }

  setCurrentLimit(seats: number): void {
    this.currentLimit = seats
    if (!this.isExempt) this.queues.limit = seats
  }

  /** How the limit of the next period is reckoned. */
  demands(nowMs: number): Demand {
    this.demand.adjust(nowMs)
    const { highWatermark, smoothed } = this.demand
    return { isExempt: this.isExempt, limits: this.limits, highWatermark, smoothed, current: this.currentLimit }
  }
}
