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
import { recordTimes } from "./shutdownRecord.ts"

/** What a manager knows before it starts. */
export interface ManagerSettings {
  readonly config: ShutdownConfig
  readonly buckets: ReadonlyArray<ShutdownBucket>
  readonly observe: ObserveShutdown
  readonly setShuttingDown: (shuttingDown: boolean) => void
}

/** What a manager that has started works with. */
export interface ManagerContext extends ManagerSettings {
  readonly killer: PodKiller["Service"]
  readonly state: ShutdownState["Service"]
  readonly lock: LockHolder
  /** The scope of the manager, in which kills continue that outlast their phase. */
  readonly scope: Scope.Scope
  readonly handleError: HandleError
}

/** The reason of the Events about the node. */
const NODE_EVENT = "Shutdown"

const processShutdown = Effect.fnUntraced(function* (context: ManagerContext) {
  const { buckets, config, handleError, killer, observe, scope, state } = context
  yield* Effect.logDebug("Shutdown manager processing shutdown event")
  const pods = yield* killer.activePods
  const kill = killPodsByPhase(buckets, pods, { killer, scope, observe, handleError })
  yield* config.featureGates.GracefulNodeShutdownBasedOnPodPriority ? recordTimes(state, kill) : kill
  yield* Effect.logDebug("Shutdown manager completed processing shutdown event, node will shutdown shortly")
  observe({ type: "finished" })
})

/**
 * Handles one signal `PrepareForShutdown`. If the machine is shutting down, this marks the node not ready, kills its
 * pods, and releases the lock. If the shutdown was cancelled, it takes a new lock. Upstream:
 * pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start.
 */
export const handleSignal = Effect.fnUntraced(function* (
  context: ManagerContext,
  session: InhibitorSession,
  shuttingDown: boolean
) {
  const { killer, lock, observe, scope, setShuttingDown } = context
  const event = shuttingDown ? "shutdown" : "cancelled"
  yield* Effect.logDebug("Shutdown manager detected new shutdown event").pipe(Effect.annotateLogs({ event }))
  yield* killer.nodeEvent(
    NODE_EVENT,
    shuttingDown ? "Shutdown manager detected shutdown event" : "Shutdown manager detected shutdown cancellation"
  )
  setShuttingDown(shuttingDown)
  observe({ type: shuttingDown ? "started" : "cancelled" })
  if (shuttingDown) {
    const sync = contained(context, "shutdown manager", killer.syncNodeStatus)
    yield* Effect.forkIn(sync, scope, { startImmediately: true })
    // The lock is released even if killing fails: holding it longer would only delay the power-off.
    yield* Effect.ensuring(processShutdown(context), lock.release)
  } else yield* Effect.ignore(lock.take(session))
})
