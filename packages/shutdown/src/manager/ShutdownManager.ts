import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { shutdownBuckets } from "../config/shutdownBuckets.ts"
import type { PodKiller } from "../ports/PodKiller.ts"
import type { InhibitorError, ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"
import type { ShutdownState } from "../ports/ShutdownState.ts"
import { runManager } from "./runManager.ts"
import type { ObserveShutdown } from "./ShutdownEvent.ts"

/** The refusal of pods, also of static ones, while the node shuts down. */
export const nodeShutdownRefusal = {
  reason: "NodeShutdown",
  message: "Pod was rejected as the node is shutting down."
} as const

/** The last error in the message of a node's Ready condition while it shuts down. */
export const shuttingDownError = "node is shutting down"

/** The shutdown manager of one kubelet. */
export interface ShutdownManagerShape {
  /** Whether graceful shutdown is configured. Otherwise every pod is admitted, and `start` does nothing. */
  readonly active: boolean
  /** An admit handler of the kubelet, which runs last. Refuses every pod while the node shuts down. */
  readonly admit: () => typeof nodeShutdownRefusal | undefined
  /** Returns the error to add to the Ready condition while the node shuts down, and undefined otherwise. */
  readonly shutdownStatus: () => typeof shuttingDownError | undefined
  /**
   * Takes the lock, and then listens until the scope ends, when the lock is released and the state reset. A start that
   * fails is not retried: the kubelet logs it and runs without graceful shutdown. A connection that is lost later is
   * retried every second.
   */
  readonly start: Effect.Effect<void, InhibitorError, ShutdownInhibitor | PodKiller | ShutdownState | Scope.Scope>
}

export interface ShutdownManagerOptions {
  /** Called for each event of the manager. */
  readonly observe?: ObserveShutdown
}

/** The manager of a kubelet without graceful shutdown. */
const inactiveManager: ShutdownManagerShape = {
  active: false,
  admit: () => undefined,
  shutdownStatus: () => undefined,
  start: Effect.void
}

/**
 * Makes the shutdown manager of one kubelet. Making it costs nothing; services are looked up when it starts.
 * Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go NewManager.
 */
export const makeShutdownManager = (
  config: ShutdownConfig,
  { observe = () => undefined }: ShutdownManagerOptions = {}
): ShutdownManagerShape => {
  const buckets = shutdownBuckets(config)
  if (buckets.length === 0) return inactiveManager
  let shuttingDown = false
  return {
    active: true,
    admit: () => (shuttingDown ? nodeShutdownRefusal : undefined),
    shutdownStatus: () => (shuttingDown ? shuttingDownError : undefined),
    start: runManager({
      config,
      buckets,
      observe,
      setShuttingDown: (value) => {
        shuttingDown = value
      }
    })
  }
}

/** The shutdown manager of this process's kubelet. */
export class ShutdownManager extends Context.Service<ShutdownManager, ShutdownManagerShape>()(
  "@rollcall/shutdown/ShutdownManager"
) {
  static readonly make = makeShutdownManager

  /** Makes the manager and starts it. A failed start is only logged, as the kubelet does. */
  static readonly layer = (
    config: ShutdownConfig,
    options?: ShutdownManagerOptions
  ): Layer.Layer<ShutdownManager, never, ShutdownInhibitor | PodKiller | ShutdownState> =>
    Layer.effect(
      ShutdownManager,
      Effect.gen(function* () {
        const manager = makeShutdownManager(config, options)
        yield* startLogged(manager)
        return ShutdownManager.of(manager)
      })
    )
}

/** Starts a manager as the kubelet does: a failure is only logged. */
export const startLogged = (manager: ShutdownManagerShape) =>
  manager.start.pipe(
    Effect.catchTag("InhibitorError", ({ message }) =>
      Effect.logError("Failed to start node shutdown manager").pipe(Effect.annotateLogs({ err: message }))
    )
  )
