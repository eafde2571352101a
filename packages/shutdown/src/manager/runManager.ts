import { contained, guarded, loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { delayRequested } from "../config/shutdownBuckets.ts"
import { PodKiller } from "../ports/PodKiller.ts"
import { ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"
import { ShutdownState } from "../ports/ShutdownState.ts"
import { handleSignal, type ManagerParts, type RunningParts } from "./handleSignal.ts"
import { makeLockHolder, openSession } from "./openSession.ts"
import { exportRecord } from "./shutdownRecord.ts"

const RECONNECT = "1 second"

/**
 * Opens a session in a scope of its own; the returned effect serves it until the connection is lost. Signals are
 * handled one after another: a signal that arrives while pods are being killed waits until that has ended.
 */
const open = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) {
  const own = yield* Scope.fork(parts.scope)
  const { session, signals } = yield* openSession(inhibitor, parts.lock, delayRequested(parts.buckets)).pipe(
    Scope.provide(own),
    Effect.onError(() => Scope.close(own, Exit.void))
  )
  parts.observe({ type: "watching" })
  // A signal whose handling fails must not end the subscription.
  const handle = (shuttingDown: boolean) =>
    contained(
      parts,
      "shutdown manager",
      Effect.suspend(() => handleSignal(parts, session, shuttingDown))
    )
  return Stream.runForEach(signals, handle).pipe(Effect.ensuring(Scope.close(own, Exit.void)))
})

/** Reconnects once; undefined: it failed, or threw. */
const tryToReopen = (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) =>
  contained(
    parts,
    "shutdown manager",
    Effect.suspend(() => open(inhibitor, parts)).pipe(
      Effect.catch(({ message }) => {
        parts.observe({ type: "lost", message })
        const report = Effect.logError("Unable to watch the node for shutdown events")
        return Effect.as(Effect.annotateLogs(report, { err: message }), undefined)
      })
    )
  )

/** Reconnects, without a limit on the attempts. */
const reopen = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) {
  for (;;) {
    yield* Effect.sleep(RECONNECT)
    yield* Effect.logDebug("Restarting watch for node shutdown events")
    const serve = yield* tryToReopen(inhibitor, parts)
    if (serve !== undefined) return serve
  }
})

/** Runs a manager: its first session, and a new one whenever the connection is lost. */
export const runManager = Effect.fnUntraced(function* (made: ManagerParts) {
  const { buckets, config, setShuttingDown } = made
  const inhibitor = yield* ShutdownInhibitor
  const handleError = yield* loggedErrors
  // An observer that throws must not stop the manager.
  const observe: RunningParts["observe"] = (event) =>
    void guarded({ handleError }, "shutdown observer", () => made.observe(event), { event: event.type })
  const parts: RunningParts = {
    ...made,
    observe,
    handleError,
    killer: yield* PodKiller,
    state: yield* ShutdownState,
    lock: makeLockHolder(),
    scope: yield* Effect.scope
  }
  yield* Effect.logInfo("Creating node shutdown manager").pipe(
    Effect.annotateLogs({
      shutdownGracePeriodRequested: config.shutdownGracePeriodMs,
      shutdownGracePeriodCriticalPods: config.shutdownGracePeriodCriticalPodsMs,
      shutdownGracePeriodByPodPriority: buckets
    })
  )
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => setShuttingDown(false)),
      parts.lock.release
    )
  )
  let serve = yield* open(inhibitor, parts)
  yield* Effect.gen(function* () {
    while (true) {
      yield* contained(parts, "shutdown manager", serve)
      yield* Effect.logDebug("Ended to watching the node for shutdown events")
      observe({ type: "lost", message: "the connection was closed" })
      serve = yield* reopen(inhibitor, parts)
    }
  }).pipe(Effect.forkScoped)
  if (config.featureGates.GracefulNodeShutdownBasedOnPodPriority) yield* exportRecord(parts.state)
})
