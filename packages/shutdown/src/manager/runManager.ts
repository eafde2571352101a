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
 * Opens a session in a scope of its own; what comes back serves it until it is lost. Signals are handled one after another, so
 * that one which comes while pods are being killed waits until that is over.
 */
const open = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) {
  const own = yield* Scope.fork(parts.scope)
  const { session, signals } = yield* openSession(inhibitor, parts.lock, delayRequested(parts.buckets)).pipe(
    Scope.provide(own),
    Effect.onError(() => Scope.close(own, Exit.void))
  )
  parts.observe({ type: "watching" })
  // A signal that cannot be handled is no reason not to hear of the next one.
  const handle = (goingDown: boolean) =>
    contained(
      parts,
      "shutdown manager",
      Effect.suspend(() => handleSignal(parts, session, goingDown))
    )
  return Stream.runForEach(signals, handle).pipe(Effect.ensuring(Scope.close(own, Exit.void)))
})

/** One try to make a lost connection again; undefined: it failed, or threw. */
const tryToReopen = (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) =>
  contained(
    parts,
    "shutdown manager",
    Effect.suspend(() => open(inhibitor, parts)).pipe(
      Effect.catch(({ message }) => {
        parts.observe({ type: "lost", message })
        const told = Effect.logError("Unable to watch the node for shutdown events")
        return Effect.as(Effect.annotateLogs(told, { err: message }), undefined)
      })
    )
  )

/** A lost connection is made again, for ever. */
const reopen = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], parts: RunningParts) {
  for (;;) {
    yield* Effect.sleep(RECONNECT)
    yield* Effect.logDebug("Restarting watch for node shutdown events")
    const serve = yield* tryToReopen(inhibitor, parts)
    if (serve !== undefined) return serve
  }
})

/** The life of a manager: its first session, and then one after another as connections are lost. */
export const runManager = Effect.fnUntraced(function* (made: ManagerParts) {
  const { buckets, config, setGoingDown } = made
  const inhibitor = yield* ShutdownInhibitor
  const handleError = yield* loggedErrors
  // Who only looks on stops nothing.
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
      Effect.sync(() => setGoingDown(false)),
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
