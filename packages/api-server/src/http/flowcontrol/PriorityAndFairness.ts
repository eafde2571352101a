import { setImmediate } from "node:timers"
import type { ApiError } from "@rollcall/cluster"
import {
  addFlowMetrics,
  Dispatcher,
  dumpPriorityLevels,
  dumpQueues,
  dumpRequests,
  type FlowControl
} from "@rollcall/flow-control"
import { Timer, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import { ConfigurationWriter } from "./ConfigurationWriter.ts"

export interface PriorityAndFairnessOptions {
  readonly server: ApiServerShape
  /** The time of the cluster's objects. */
  readonly timers: TimersShape
  /** The time of requests, where the cluster's time runs faster. Default: `timers`. */
  readonly wireTimers?: TimersShape
  /** `--max-requests-inflight` plus `--max-mutating-requests-inflight`. Default: 600, the sum of their defaults. */
  readonly seats?: number
  /** The length of a time slice, in milliseconds. */
  readonly turnMs?: number
}

const DEFAULT_SEATS = 600
/** How often levels lend and borrow seats. Upstream: borrowingAdjustmentPeriod. */
const ADJUST_MS = 10_000
/** How often the default objects are checked. Upstream: ensureAPFBootstrapConfiguration. */
const ENSURE_MS = 60_000

/** Runs work in an interval, until it is stopped. */
class Periodic extends Timer {
  private readonly timers: TimersShape
  private readonly periodMs: number
  private readonly work: () => void

  constructor(timers: TimersShape, periodMs: number, work: () => void) {
    super()
    this.timers = timers
    this.periodMs = periodMs
    this.work = work
    this.plan()
  }

  fire(): void {
    this.plan()
    this.work()
  }

  stop(): void {
    this.timers.cancel(this)
  }

  private plan(): void {
    this.timers.plan(this, this.timers.now() + this.periodMs)
  }
}

/** The start of the pages' paths. */
const PAGES = "/debug/api_priority_and_fairness/dump_"

/**
 * API Priority and Fairness, configured by a server's FlowSchemas and PriorityLevelConfigurations, until the scope
 * closes. It creates the default objects at startup. Upstream: apiserver/pkg/util/flowcontrol, KEP-1040.
 */
export const priorityAndFairness = Effect.fnUntraced(function* (
  options: PriorityAndFairnessOptions
): Effect.fn.Return<FlowControl, ApiError, Scope.Scope> {
  const { seats = DEFAULT_SEATS, server, timers, turnMs, wireTimers = timers } = options
  const { registry } = server
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const warn = (message: string) => {
    runFork(
      Effect.logWarning("API Priority and Fairness could not write an object").pipe(Effect.annotateLogs({ message }))
    )
  }
  const dispatcher = new Dispatcher({
    seats,
    timers: wireTimers,
    nextTurn: setImmediate,
    objectCount: objectCountOf(server),
    ...(turnMs === undefined ? {} : { turnMs })
  })
  const { configuration } = dispatcher
  const writer = new ConfigurationWriter({ server, timers, warn })
  let isRunning = true
  let isDigestPlanned = false
  const digest = () => {
    isDigestPlanned = false
    if (!isRunning) return
    const levels = writer.levels()
    configuration.digest(levels, writer.schemas(), wireTimers.now())
    dispatcher.wake()
    const names = new Set(levels.map(({ metadata }) => metadata.name))
    writer.reportDangling((name) => names.has(name) && configuration.levels.get(name)?.isQuiescing === false)
  }
  const planDigest = () => {
    if (isDigestPlanned) return
    isDigestPlanned = true
    timers.soon(digest)
  }
  yield* server.restore(writer.missing(), { onlyMissing: true })
  writer.ensure()
  registry.kinds.FlowSchema.cache.observe(planDigest)
  registry.kinds.PriorityLevelConfiguration.cache.observe(planDigest)
  dispatcher.onIdle = planDigest
  digest()
  yield* Effect.acquireRelease(
    Effect.sync(() => [
      new Periodic(wireTimers, ADJUST_MS, () => {
        configuration.adjust(wireTimers.now())
        dispatcher.wake()
      }),
      new Periodic(timers, ENSURE_MS, () => writer.ensure())
    ]),
    (periodic) =>
      Effect.sync(() => {
        isRunning = false
        for (const each of periodic) each.stop()
      })
  )
  return {
    enter: dispatcher.enter,
    addMetrics: (set) => addFlowMetrics(set, configuration),
    pages: new Map([
      [`${PAGES}priority_levels`, () => dumpPriorityLevels(configuration)],
      [`${PAGES}queues`, () => dumpQueues(configuration)],
      [`${PAGES}requests`, (isDetailed: boolean) => dumpRequests(configuration, isDetailed)]
    ])
  }
})

/** Returns a function that counts the objects of a resource in the server's caches. */
const objectCountOf = ({ registry }: ApiServerShape): ((group: string, resource: string) => number) => {
  let counts: Map<string, () => number> | undefined
  registry.observe(() => {
    counts = undefined
  })
  const all = () => {
    const made = new Map<string, () => number>()
    for (const { base, cache, definition } of registry.states()) {
      const counted = base?.state.cache ?? cache
      made.set(`${definition.resource.group}/${definition.resource.plural}`, () => counted.size)
    }
    return made
  }
  return (group, resource) => {
    counts ??= all()
    return counts.get(`${group}/${resource}`)?.() ?? 0
  }
}
