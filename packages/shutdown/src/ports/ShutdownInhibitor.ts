import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** What delays a shutdown did not do what was asked of it. `message` says what, in the words of upstream's log. */
export class InhibitorError extends Schema.TaggedError<InhibitorError>()("InhibitorError", {
  message: Schema.String
}) {}

/**
 * One connection to what can delay the machine's shutdown. It ends with its scope, or when the other side goes away; what is
 * asked of it then fails. Locks do not end with it: each is held until it is released, or the process ends.
 */
export interface InhibitorSession {
  /** For how long a delay lock holds back a shutdown at most, milliseconds (`InhibitDelayMaxUSec`). */
  readonly inhibitDelayMs: Effect.Effect<number, InhibitorError>
  /**
   * Asks for a longer delay, whole seconds: writes the override and makes it be read (`KillUnit systemd-logind.service SIGHUP`).
   * It is read some time after: a caller looks at `inhibitDelayMs` again.
   */
  readonly overrideInhibitDelay: (seconds: number) => Effect.Effect<void, InhibitorError>
  /** Takes a delay lock. What comes back releases this lock; releasing it twice does nothing. */
  readonly inhibit: Effect.Effect<Effect.Effect<void>, InhibitorError>
  /**
   * `PrepareForShutdown`: true as the machine is about to go down, false when that is off. Subscribes when it is run; from
   * then on each signal is kept, in order, until the stream is asked for it. The stream ends with the connection.
   */
  readonly prepareForShutdown: Effect.Effect<Stream.Stream<boolean>, InhibitorError, Scope.Scope>
}

/**
 * The port to what delays a machine's shutdown: systemd-logind, or a model of it. Layers of it are proved by
 * `inhibitorContract` of `@rollcall/shutdown/testing`.
 * Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go.
 */
export class ShutdownInhibitor extends Context.Service<
  ShutdownInhibitor,
  { readonly connect: Effect.Effect<InhibitorSession, InhibitorError, Scope.Scope> }
>()("@rollcall/shutdown/ShutdownInhibitor") {}
