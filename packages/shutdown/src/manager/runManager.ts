import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ShutdownBucket, ShutdownConfig } from "../config/ShutdownConfig.ts"
import { delayRequested } from "../config/shutdownBuckets.ts"
import { PodKiller } from "../ports/PodKiller.ts"
import { type InhibitorSession, ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"
import { ShutdownState, type ShutdownTimes } from "../ports/ShutdownState.ts"
import { killPodsByPhase } from "./killPodsByPhase.ts"
import { makeLockHolder, openSession } from "./openSession.ts"
import type { ObserveShutdown } from "./ShutdownEvent.ts"
import { gracefulShutdownEndTime, gracefulShutdownStartTime, unixSeconds } from "./shutdownMetrics.ts"

export interface ManagerParts {
  readonly config: ShutdownConfig
  readonly buckets: ReadonlyArray<ShutdownBucket>
  readonly observe: ObserveShutdown
  readonly setGoingDown: (goingDown: boolean) => void
}

const RECONNECT = "1 second"
const NODE_EVENT = "Shutdown"

const exportTimes = ({ endMs, startMs }: ShutdownTimes) =>
  Effect.andThen(
    startMs === undefined ? Effect.void : Metric.update(gracefulShutdownStartTime, unixSeconds(startMs)),
    endMs === undefined ? Effect.void : Metric.update(gracefulShutdownEndTime, unixSeconds(endMs))
  )

/** Keeps the beginning and the end of what is recorded; that it could not be kept stops nothing. */
const recorded = <A, E, R>(state: ShutdownState["Service"], body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const store = (times: ShutdownTimes) =>
      state
        .store(times)
        .pipe(
          Effect.catch(({ message }) =>
            Effect.logError("Failed to store graceful shutdown state").pipe(Effect.annotateLogs({ err: message }))
          )
        )
    const startMs = yield* Clock.currentTimeMillis
    yield* store({ startMs })
    yield* exportTimes({ startMs, endMs: 0 })
    const result = yield* body
    const endMs = yield* Clock.currentTimeMillis
    yield* store({ startMs, endMs })
    yield* exportTimes({ endMs })
    return result
  })

/**
 * The life of a manager: its first session, and then one after another as connections are lost. Signals are handled one after
 * another, so that one which comes while pods are being killed waits until that is over.
 */
export const runManager = Effect.fnUntraced(function* ({ buckets, config, observe, setGoingDown }: ManagerParts) {
  const inhibitor = yield* ShutdownInhibitor
  const killer = yield* PodKiller
  const state = yield* ShutdownState
  const scope = yield* Effect.scope
  const lock = makeLockHolder()
  const keepsRecords = config.featureGates.GracefulNodeShutdownBasedOnPodPriority

  yield* Effect.logInfo("Creating node shutdown manager").pipe(
    Effect.annotateLogs({
      shutdownGracePeriodRequested: config.shutdownGracePeriodMs,
      shutdownGracePeriodCriticalPods: config.shutdownGracePeriodCriticalPodsMs,
      shutdownGracePeriodByPodPriority: buckets
    })
  )
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => setGoingDown(false)),
      lock.release
    )
  )

  const processShutdown = Effect.gen(function* () {
    yield* Effect.logDebug("Shutdown manager processing shutdown event")
    const pods = yield* killer.activePods
    const kill = killPodsByPhase(buckets, pods, { killer, scope, observe })
    yield* keepsRecords ? recorded(state, kill) : kill
    yield* Effect.logDebug("Shutdown manager completed processing shutdown event, node will shutdown shortly")
    observe({ type: "finished" })
    yield* lock.release
  })

  const handle = Effect.fnUntraced(function* (session: InhibitorSession, goingDown: boolean) {
    const event = goingDown ? "shutdown" : "cancelled"
    yield* Effect.logDebug("Shutdown manager detected new shutdown event").pipe(Effect.annotateLogs({ event }))
    yield* killer.nodeEvent(
      NODE_EVENT,
      goingDown ? "Shutdown manager detected shutdown event" : "Shutdown manager detected shutdown cancellation"
    )
    setGoingDown(goingDown)
    observe({ type: goingDown ? "started" : "cancelled" })
    if (goingDown) {
      yield* Effect.forkIn(killer.syncNodeStatus, scope, { startImmediately: true })
      yield* processShutdown
    } else yield* Effect.ignore(lock.take(session))
  })

  /** Opens a session in a scope of its own; what comes back serves it until it is lost. */
  const open = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const { session, signals } = yield* openSession(inhibitor, lock, delayRequested(buckets)).pipe(
      Scope.provide(own),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
    observe({ type: "watching" })
    return Stream.runForEach(signals, (goingDown) => handle(session, goingDown)).pipe(
      Effect.ensuring(Scope.close(own, Exit.void))
    )
  })

  /** A lost connection is made again, for ever. */
  const reopen = Effect.gen(function* () {
    yield* Effect.sleep(RECONNECT)
    yield* Effect.logDebug("Restarting watch for node shutdown events")
    return yield* open
  }).pipe(
    Effect.tapError(({ message }) => {
      observe({ type: "lost", message })
      return Effect.logError("Unable to watch the node for shutdown events").pipe(Effect.annotateLogs({ err: message }))
    }),
    Effect.eventually
  )

  let serve = yield* open
  yield* Effect.gen(function* () {
    while (true) {
      yield* serve
      yield* Effect.logDebug("Ended to watching the node for shutdown events")
      observe({ type: "lost", message: "the connection was closed" })
      serve = yield* reopen
    }
  }).pipe(Effect.forkScoped)

  if (!keepsRecords) return
  yield* state.load.pipe(
    Effect.flatMap(exportTimes),
    Effect.catch(({ message }) =>
      Effect.logError("Failed to load graceful shutdown state").pipe(Effect.annotateLogs({ err: message }))
    )
  )
})
