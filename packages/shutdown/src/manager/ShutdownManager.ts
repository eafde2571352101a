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

/** Why a pod is not admitted while the node goes down; static pods are no exception. */
export const nodeShutdownRefusal = {
  reason: "NodeShutdown",
  message: "Pod was rejected as the node is shutting down."
} as const

/** The last error of a node's Ready condition while it goes down. */
export const shuttingDownError = "node is shutting down"

export interface ShutdownManagerShape {
  /** False: nothing is configured. Then it admits everything and a start does nothing. */
  readonly active: boolean
  /** A link of the kubelet's admission chain: the last. */
  readonly admit: () => typeof nodeShutdownRefusal | undefined
  /** An error for the Ready condition, while the node goes down. */
  readonly shutdownStatus: () => typeof shuttingDownError | undefined
  /**
   * Takes the lock, then listens until the scope ends; the lock is released then, and what it knew is forgotten. A start that
   * fails is not tried again: the kubelet logs it and runs on without. A connection that is lost later is made again, each
   * second.
   */
  readonly start: Effect.Effect<void, InhibitorError, ShutdownInhibitor | PodKiller | ShutdownState | Scope.Scope>
}

export interface ShutdownManagerOptions {
  readonly observe?: ObserveShutdown
}

const stub: ShutdownManagerShape = {
  active: false,
  admit: () => undefined,
  shutdownStatus: () => undefined,
  start: Effect.void
}

/**
 * The shutdown manager of one kubelet. To make one costs nothing; what it works on is asked for when it starts. Upstream:
 * pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go NewManager.
 */
export const makeShutdownManager = (
  config: ShutdownConfig,
  { observe = () => undefined }: ShutdownManagerOptions = {}
): ShutdownManagerShape => {
  const buckets = shutdownBuckets(config)
  if (buckets.length === 0) return stub
  let goingDown = false
  return {
    active: true,
    admit: () => (goingDown ? nodeShutdownRefusal : undefined),
    shutdownStatus: () => (goingDown ? shuttingDownError : undefined),
    start: runManager({
      config,
      buckets,
      observe,
      setGoingDown: (value) => {
        goingDown = value
      }
    })
  }
}

/** The shutdown manager of this process's kubelet. */
export class ShutdownManager extends Context.Service<ShutdownManager, ShutdownManagerShape>()(
  "@rollcall/shutdown/ShutdownManager"
) {
  static readonly make = makeShutdownManager

  /** Makes and starts it. Does not fail: that it could not start is logged, as the kubelet does. */
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

/** Starts a manager as the kubelet does: a failure is logged, and that is all. */
export const startLogged = (manager: ShutdownManagerShape) =>
  manager.start.pipe(
    Effect.catchTag("InhibitorError", ({ message }) =>
      Effect.logError("Failed to start node shutdown manager").pipe(Effect.annotateLogs({ err: message }))
    )
  )
