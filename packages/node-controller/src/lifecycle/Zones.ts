import {
  type DisruptionDecision,
  type DisruptionFlags,
  decideDisruption,
  type Limiter,
  RateLimitedQueue,
  tokenBucketLimiter,
  type ZoneCounts,
  type ZoneState
} from "@rollcall/eviction"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { NodeControllerObserver } from "../Observer.ts"
import type { ZoneMeters } from "./metrics.ts"

/** One zone: the queue of its nodes that are to be tainted or emptied, and what the present pass has counted. */
export class Zone {
  readonly key: string
  queue: RateLimitedQueue
  /** Nodes whose pods were deleted and are to have ended; only where the controller sees to that. */
  terminating: RateLimitedQueue | undefined
  /** Held while a node is handed out and acted on: the limiter is not swapped meanwhile. */
  readonly lock = Semaphore.makeUnsafe(1)
  /** Whether the zone has a state; one that has not is made anew when a node of it is seen. */
  remembered = false
  ready = 0
  notReady = 0

  constructor(key: string, queue: RateLimitedQueue, terminating: RateLimitedQueue | undefined) {
    this.key = key
    this.queue = queue
    this.terminating = terminating
  }

  /** Forgets that the node was to be acted on. */
  cancel(name: string): void {
    this.queue.remove(name)
    this.terminating?.remove(name)
  }
}

/** Nodes per second that a limiter lets through. */
export const rateOfLimiter = (limiter: Limiter): number => (limiter.kind === "never" ? 0 : limiter.qps)

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** What a change from one judgement of the zones to the next asks of the nodes. */
export interface DisruptionActions {
  /** All zones are down: take the NoExecute pair off every node. */
  readonly markAllReachable: Effect.Effect<void>
  /** No longer so: every node's silence starts anew. */
  readonly resetProbes: () => void
}

/**
 * The zones of a cluster: remembered states, queues, and the rate of each. A zone that is forgotten keeps its queue, which goes
 * on being served; it gets a new one when it comes back.
 */
export class Zones {
  private readonly zones = new Map<string, Zone>()
  private remembered = new Map<string, ZoneState>()
  private inOrder: ReadonlyArray<Zone> | undefined
  private readonly flags: DisruptionFlags
  private readonly meters: ZoneMeters
  private readonly observer: NodeControllerObserver
  private readonly now: () => number
  private readonly endsPods: boolean

  constructor(
    flags: DisruptionFlags & { readonly forcedDeletion?: boolean },
    meters: ZoneMeters,
    observer: NodeControllerObserver,
    now: () => number
  ) {
    this.flags = flags
    this.endsPods = flags.forcedDeletion === true
    this.meters = meters
    this.observer = observer
    this.now = now
  }

  get states(): ReadonlyMap<string, ZoneState> {
    return this.remembered
  }

  /** Every zone that has a queue, in the order of keys. */
  all(): ReadonlyArray<Zone> {
    this.inOrder ??= [...this.zones.values()].sort((left, right) => compareText(left.key, right.key))
    return this.inOrder
  }

  of(key: string): Zone {
    const present = this.zones.get(key)
    if (present !== undefined) return present
    const zone = new Zone(key, this.newQueue(), this.endsPods ? this.newQueue() : undefined)
    this.zones.set(key, zone)
    this.inOrder = undefined
    return zone
  }

  /** Makes a zone known that is not: state Initial, a new queue with a full bucket. */
  remember(key: string): void {
    if (this.remembered.has(key)) return
    this.remembered.set(key, "Initial")
    const fresh = !this.zones.has(key)
    const zone = this.of(key)
    if (!fresh) {
      zone.queue = this.newQueue()
      if (this.endsPods) zone.terminating = this.newQueue()
    }
    zone.remembered = true
    this.meters.evicted(key, 0)
    this.observer.zoneCreated(key)
  }

  /** Starts counting anew. */
  beginPass(): void {
    for (const zone of this.all()) {
      zone.ready = 0
      zone.notReady = 0
    }
  }

  /**
   * Judges the zones by what the pass has counted and gives each its rate.
   * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption.
   */
  judge(actions: DisruptionActions): Effect.Effect<void> {
    return Effect.suspend(() => {
      const decision = decideDisruption(this.remembered, this.counted(), this.flags)
      for (const [key, { notReady, size }] of decision.health) this.meters.counted(key, size, notReady)
      if (decision.mode === "none") {
        this.replaceStates(decision.states)
        return Effect.void
      }
      return this.apply(decision, actions)
    })
  }

  private apply(decision: DisruptionDecision, actions: DisruptionActions): Effect.Effect<void> {
    const swapAll = Effect.forEach(decision.rates, ([key, rate]) => this.swap(key, rate), { discard: true })
    const prepare = Effect.suspend(() => {
      if (decision.mode === "enterAllZonesDown") this.observer.allZonesDown(true)
      if (decision.mode === "exitAllZonesDown") this.observer.allZonesDown(false)
      for (const [key, to] of decision.states) {
        const from = this.remembered.get(key) ?? "Initial"
        if (from !== to) this.observer.zoneStateChanged({ zoneKey: key, from, to })
      }
      if (decision.mode === "enterAllZonesDown") return actions.markAllReachable
      if (decision.mode === "exitAllZonesDown") actions.resetProbes()
      return Effect.void
    })
    const remember = Effect.sync(() => this.replaceStates(decision.states))
    return prepare.pipe(Effect.andThen(swapAll), Effect.andThen(remember))
  }

  private replaceStates(states: DisruptionDecision["states"]): void {
    this.remembered = new Map(states)
    for (const zone of this.all()) zone.remembered = states.has(zone.key)
  }

  private swap(key: string, rate: number): Effect.Effect<void> {
    const zone = this.of(key)
    return zone.lock.withPermit(
      Effect.sync(() => {
        const before = rateOfLimiter(zone.queue.limiter)
        const after = rateOfLimiter(zone.queue.swapLimiter(rate, this.now()))
        zone.terminating?.swapLimiter(rate, this.now())
        if (before !== after) this.observer.zoneRateChanged({ zoneKey: key, nodesPerSecond: after })
      })
    )
  }

  private counted(): ReadonlyMap<string, ZoneCounts> {
    const counts = new Map<string, ZoneCounts>()
    for (const { key, notReady, ready } of this.all()) if (ready + notReady > 0) counts.set(key, { ready, notReady })
    return counts
  }

  private newQueue(): RateLimitedQueue {
    return new RateLimitedQueue(tokenBucketLimiter(this.flags.nodeEvictionRate))
  }
}
