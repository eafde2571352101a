import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** A request to the inhibitor failed. `message` is the error that upstream logs. */
export class InhibitorError extends Schema.TaggedError<InhibitorError>()("InhibitorError", {
  message: Schema.String
}) {}

/**
 * One connection to the service that can delay the machine's shutdown. It ends with its scope, or when the other side
 * disconnects. Requests then fail. Locks outlive the session: each is held until it is released, or the process ends.
 */
export interface InhibitorSession {
  /** The longest time for which a delay lock holds back a shutdown, in milliseconds (`InhibitDelayMaxUSec`). */
  readonly inhibitDelayMs: Effect.Effect<number, InhibitorError>
  /**
   * Requests a longer delay, in whole seconds: writes the override and makes logind reload it (`KillUnit
   * systemd-logind.service SIGHUP`). logind reloads some time later, so a caller reads `inhibitDelayMs` again.
   */
  readonly overrideInhibitDelay: (seconds: number) => Effect.Effect<void, InhibitorError>
  /** Takes a delay lock. The returned effect releases this lock; releasing it twice does nothing. */
  readonly inhibit: Effect.Effect<Effect.Effect<void>, InhibitorError>
  /**
   * Subscribes to the signal `PrepareForShutdown`, which is true when the machine is about to power off, and false when
   * that is cancelled. From the subscription on, signals are buffered in order until the stream is pulled. The stream
   * ends with the connection.
   */
  readonly prepareForShutdown: Effect.Effect<Stream.Stream<boolean>, InhibitorError, Scope.Scope>
}

/**
 * The port to the service that delays a machine's shutdown: systemd-logind, or a model of it. Implementations are
 * tested by `inhibitorContract` of `@rollcall/shutdown/testing`.
 * Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go.
 */
export class ShutdownInhibitor extends Context.Service<
  ShutdownInhibitor,
  { readonly connect: Effect.Effect<InhibitorSession, InhibitorError, Scope.Scope> }
>()("@rollcall/shutdown/ShutdownInhibitor") {}
