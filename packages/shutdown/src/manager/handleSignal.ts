import { contained, type HandleError } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShutdownBucket, ShutdownConfig } from "../config/ShutdownConfig.ts"
import type { PodKiller } from "../ports/PodKiller.ts"
import type { InhibitorSession } from "../ports/ShutdownInhibitor.ts"
import type { ShutdownState } from "../ports/ShutdownState.ts"
import { killPodsByPhase } from "./killPodsByPhase.ts"
import type { LockHolder } from "./openSession.ts"
import type { ObserveShutdown } from "./ShutdownEvent.ts"
import { recorded } from "./shutdownRecord.ts"

/** The parts of a manager that do not depend on a connection. */
export interface ManagerParts {
  readonly config: ShutdownConfig
  readonly buckets: ReadonlyArray<ShutdownBucket>
  readonly observe: ObserveShutdown
  readonly setShuttingDown: (shuttingDown: boolean) => void
}

/** The parts of a manager that has started. */
export interface RunningParts extends ManagerParts {
  readonly killer: PodKiller["Service"]
  readonly state: ShutdownState["Service"]
  readonly lock: LockHolder
  readonly scope: Scope.Scope
  readonly handleError: HandleError
}

const NODE_EVENT = "Shutdown"

const processShutdown = Effect.fnUntraced(function* (parts: RunningParts) {
  const { buckets, config, handleError, killer, observe, scope, state } = parts
  yield* Effect.logDebug("Shutdown manager processing shutdown event")
  const pods = yield* killer.activePods
  const kill = killPodsByPhase(buckets, pods, { killer, scope, observe, handleError })
  yield* config.featureGates.GracefulNodeShutdownBasedOnPodPriority ? recorded(state, kill) : kill
  yield* Effect.logDebug("Shutdown manager completed processing shutdown event, node will shutdown shortly")
  observe({ type: "finished" })
})

/**
 * Handles one `PrepareForShutdown`. True: sets the node not ready, kills its pods, and releases the lock. False: the
 * shutdown is cancelled; takes a new lock. Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start.
 */
export const handleSignal = Effect.fnUntraced(function* (
  parts: RunningParts,
  session: InhibitorSession,
  shuttingDown: boolean
) {
  const { killer, lock, observe, scope, setShuttingDown } = parts
  const event = shuttingDown ? "shutdown" : "cancelled"
  yield* Effect.logDebug("Shutdown manager detected new shutdown event").pipe(Effect.annotateLogs({ event }))
  yield* killer.nodeEvent(
    NODE_EVENT,
    shuttingDown ? "Shutdown manager detected shutdown event" : "Shutdown manager detected shutdown cancellation"
  )
  setShuttingDown(shuttingDown)
  observe({ type: shuttingDown ? "started" : "cancelled" })
  if (shuttingDown) {
    const sync = contained(parts, "shutdown manager", killer.syncNodeStatus)
    yield* Effect.forkIn(sync, scope, { startImmediately: true })
    // The lock is released even if killing fails: holding it longer would only delay the power-off.
    yield* Effect.ensuring(processShutdown(parts), lock.release)
  } else yield* Effect.ignore(lock.take(session))
})
