import { contained, guarded, loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { delayRequested } from "../config/shutdownBuckets.ts"
import { PodKiller } from "../ports/PodKiller.ts"
import { ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"
import { ShutdownState } from "../ports/ShutdownState.ts"
import { handleSignal, type ManagerContext, type ManagerSettings } from "./handleSignal.ts"
import { makeLockHolder, openSession } from "./openSession.ts"
import { exportRecord } from "./shutdownRecord.ts"

/** The pause before each attempt to reconnect. Upstream: dbusReconnectPeriod. */
const RECONNECT = "1 second"

/**
 * Opens a session in a scope of its own. Returns an effect that serves the session until the connection is lost.
 * Signals are handled one after another: a signal that arrives while pods are being killed waits until that has ended.
 */
const openAndServe = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], context: ManagerContext) {
  const sessionScope = yield* Scope.fork(context.scope)
  const { session, signals } = yield* openSession(inhibitor, context.lock, delayRequested(context.buckets)).pipe(
    Scope.provide(sessionScope),
    Effect.onError(() => Scope.close(sessionScope, Exit.void))
  )
  context.observe({ type: "watching" })
  // A signal whose handling fails must not end the subscription.
  const handle = (shuttingDown: boolean) =>
    contained(
      context,
      "shutdown manager",
      Effect.suspend(() => handleSignal(context, session, shuttingDown))
    )
  return Stream.runForEach(signals, handle).pipe(Effect.ensuring(Scope.close(sessionScope, Exit.void)))
})

/** Tries once to reconnect. Returns the effect that serves the new session, or undefined if the attempt failed. */
const tryToReconnect = (inhibitor: ShutdownInhibitor["Service"], context: ManagerContext) =>
  contained(
    context,
    "shutdown manager",
    Effect.suspend(() => openAndServe(inhibitor, context)).pipe(
      Effect.catch(({ message }) => {
        context.observe({ type: "lost", message })
        const logFailure = Effect.logError("Unable to watch the node for shutdown events")
        return Effect.as(Effect.annotateLogs(logFailure, { err: message }), undefined)
      })
    )
  )

/** Reconnects after a pause, without a limit on the attempts. */
const reconnect = Effect.fnUntraced(function* (inhibitor: ShutdownInhibitor["Service"], context: ManagerContext) {
  for (;;) {
    yield* Effect.sleep(RECONNECT)
    yield* Effect.logDebug("Restarting watch for node shutdown events")
    const serve = yield* tryToReconnect(inhibitor, context)
    if (serve !== undefined) return serve
  }
})

/**
 * Runs a manager: opens its first session, and a new one whenever the connection is lost. Fails if the first one does.
 */
export const runManager = Effect.fnUntraced(function* (given: ManagerSettings) {
  const { buckets, config, setShuttingDown } = given
  const inhibitor = yield* ShutdownInhibitor
  const handleError = yield* loggedErrors
  // An observer that throws must not stop the manager.
  const observe: ManagerContext["observe"] = (event) =>
    void guarded({ handleError }, "shutdown observer", () => given.observe(event), { event: event.type })
  const context: ManagerContext = {
    ...given,
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
      context.lock.release
    )
  )
  let serve = yield* openAndServe(inhibitor, context)
  yield* Effect.gen(function* () {
    while (true) {
      yield* contained(context, "shutdown manager", serve)
      yield* Effect.logDebug("Ended to watching the node for shutdown events")
      observe({ type: "lost", message: "the connection was closed" })
      serve = yield* reconnect(inhibitor, context)
    }
  }).pipe(Effect.forkScoped)
  if (config.featureGates.GracefulNodeShutdownBasedOnPodPriority) yield* exportRecord(context.state)
})
