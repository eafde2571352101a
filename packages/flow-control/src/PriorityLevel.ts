import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from "@rollcall/api"
import { type Demand, maxSeatsOf, type SeatLimits } from "./limits.ts"
import { QueueSet, type QueueSetConfig } from "./QueueSet.ts"

/**
 * The number of seats that a priority level could use: integrated over time, and smoothed between the adjustments of
 * the limits. Upstream: fairqueuing/integrator.go, seatDemandStats of apf_controller.go.
 */
export class SeatDemand {
  private value = 0
  private lastMs: number
  private seconds = 0
  /** The integrals over the current period of the demand and of its square, and its maximum. */
  private integral = 0
  private squares = 0
  private max = 0
  /** The highest demand since the last adjustment. */
  highWatermark = 0
  /** The mean and standard deviation over time in the last period, and the smoothed sum of both. */
  average = 0
  deviation = 0
  smoothed = 0

  constructor(nowMs: number) {
    this.lastMs = nowMs
  }

  /** Records that the demand is now this number of seats. */
  set(value: number, nowMs: number): void {
    this.integrate(nowMs)
    this.value = value
    if (value > this.max) this.max = value
  }

  /** Ends a period of adjustment: the public members have its values until the next one ends. */
  adjust(nowMs: number): void {
    this.integrate(nowMs)
    this.highWatermark = this.max
    if (this.seconds > 0) {
      this.average = this.integral / this.seconds
      this.deviation = Math.sqrt(Math.max(0, this.squares / this.seconds - this.average ** 2))
      const envelope = this.average + this.deviation
      this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope)
    }
    this.seconds = 0
    this.integral = 0
    this.squares = 0
    this.max = this.value
  }

  private integrate(nowMs: number): void {
    const seconds = (nowMs - this.lastMs) / 1000
    if (seconds <= 0) return
    this.lastMs = nowMs
    this.seconds += seconds
    this.integral += seconds * this.value
    this.squares += seconds * this.value * this.value
  }
}

/** Upstream: seatDemandSmoothingCoefficient; the half-life is five minutes at one adjustment every ten seconds. */
const SMOOTHING = 0.977

/** In seconds. Upstream: apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go. */
const MAX_RETRY_AFTER = 32

/** The refused requests of one second; `at` is in seconds since the epoch. */
interface Second {
  readonly at: number
  readonly requests: number
}

/** Computes the Retry-After of a priority level's refused requests: longer, the more of them there are. */
export class DroppedRequests {
  private history: Array<Second> = []
  private second = 0
  private count = 0
  private seconds = 1
  private raisedAt = 0

  /** The Retry-After in seconds. */
  get retryAfter(): number {
    return this.seconds
  }

  /** Counts a refused request. */
  record(nowMs: number): void {
    const at = Math.floor(nowMs / 1000)
    if (at === this.second) {
      this.count++
      return
    }
    this.remember()
    this.second = at
    this.count = 1
    this.update(at)
  }

  private remember(): void {
    this.history.push({ at: this.second, requests: this.count })
    const most = Math.min(2 * this.seconds, MAX_RETRY_AFTER)
    this.history = this.history.filter(({ at }) => this.second - at <= most)
  }

  /** Doubles at three refusals a second, and decreases by one at less than one. */
  private update(at: number): void {
    let dropped = 0
    for (const { at: then, requests } of this.history) if (at - then <= this.seconds && then < at) dropped += requests
    if (at - this.raisedAt >= this.seconds && dropped >= 3 * this.seconds) {
      this.seconds = Math.min(this.seconds * 2, MAX_RETRY_AFTER)
      this.raisedAt = at
    } else if (dropped < this.seconds && this.seconds > 1) this.seconds--
  }
}

/** The maximum number of queues of a level: more separate flows no better, and each uses memory. */
const MAX_QUEUES = 4096
/** Exempt requests wait only for a time slice: by flow, so that they do not delay each other. */
const EXEMPT_QUEUES = 64

/** Whether a configuration is valid and can be used. Upstream: queueSetCompleterForPL. */
export const isUsable = ({ metadata, spec }: PriorityLevelConfiguration): boolean => {
  if (spec === undefined) return false
  const { exempt, limited, type } = spec
  if ((type === "Limited") !== (limited !== undefined) || (type === "Exempt") !== (exempt !== undefined)) return false
  if ((type === "Exempt") !== (metadata.name === "exempt")) return false
  const response = limited?.limitResponse
  return limited === undefined || (response?.type === "Reject") === (response?.queuing === undefined)
}

const queueSetConfig = ({ limited, type }: PriorityLevelConfigurationSpec): QueueSetConfig => {
  if (type === "Exempt") return { overflow: "exempt", queues: EXEMPT_QUEUES, handSize: 1, queueLengthLimit: 0 }
  const queuing = limited?.limitResponse?.queuing
  if (queuing === undefined) return { overflow: "reject", queues: 1, handSize: 1, queueLengthLimit: 0 }
  const { handSize = 1, queueLengthLimit = 1, queues = 1 } = queuing
  const count = Math.max(1, Math.min(queues, MAX_QUEUES))
  return { overflow: "queue", queues: count, handSize: Math.min(handSize, count), queueLengthLimit }
}

/** A priority level at run time. Upstream: priorityLevelState. */
export class PriorityLevel {
  readonly name: string
  configuration: PriorityLevelConfiguration
  config: QueueSetConfig
  limits: SeatLimits = { nominal: 0, min: 0, max: 0 }
  /** The maximum seats of one request; 0: unlimited. */
  maxSeats = 0
  /** Its present seats: its own, minus lent ones, plus borrowed ones. */
  currentLimit = 0
  readonly queues: QueueSet
  readonly demand: SeatDemand
  readonly dropped = new DroppedRequests()
  /** Whether its object was deleted: the level is removed when its requests have been served. */
  isQuiescing = false
  /**
   * The time that its requests have had, in milliseconds for each of its seats: the level with the least is served next
   * (stride scheduling).
   */
  pass = 0
  dispatched = 0
  rejected = 0
  /** Those that clients gave up, or that waited for too long. */
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
    return this.config.overflow === "exempt"
  }

  configure(configuration: PriorityLevelConfiguration): void {
    this.configuration = configuration
    this.config = queueSetConfig(configuration.spec as PriorityLevelConfigurationSpec)
    this.queues.configure(this.config)
  }

  setLimits(limits: SeatLimits): void {
    this.limits = limits
    this.maxSeats = maxSeatsOf(limits.nominal, this.config.overflow === "queue" ? this.config.handSize : undefined)
  }

  setCurrentLimit(seats: number): void {
    this.currentLimit = seats
    if (!this.isExempt) this.queues.limit = seats
  }

  /** Ends a period of adjustment, and returns the demand in it. */
  endDemandPeriod(nowMs: number): Demand {
    this.demand.adjust(nowMs)
    const { highWatermark, smoothed } = this.demand
    return { isExempt: this.isExempt, limits: this.limits, highWatermark, smoothed, current: this.currentLimit }
  }
}
