import { execFile } from "node:child_process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface ServiceManagerShape {
  /** Tells how the daemon is: `READY=1`, `STOPPING=1`, `STATUS=…`, by systemd's names for it. See sd_notify(3). */
  readonly notify: (...states: ReadonlyArray<string>) => Effect.Effect<void>
}

const TIMEOUT_MS = 5000

/** The port to what started the daemon and waits to hear of it. */
export class ServiceManager extends Context.Service<ServiceManager, ServiceManagerShape>()(
  "@rollcall/server/ServiceManager"
) {
  /** No service manager waits to be told. */
  static readonly none: Layer.Layer<ServiceManager> = Layer.succeed(ServiceManager, { notify: () => Effect.void })

  /**
   * systemd, by its own program: Node has no datagram sockets of the Unix kind. A unit with `NotifyAccess=all` heeds it. What cannot be
   * told is logged.
   */
  static readonly systemd = (pid: number): Layer.Layer<ServiceManager> =>
    Layer.succeed(ServiceManager, {
      notify: (...states) =>
        Effect.callback<Error | undefined>((resume) => {
          execFile("systemd-notify", [`--pid=${pid}`, ...states], { timeout: TIMEOUT_MS }, (error) =>
            resume(Effect.succeed(error ?? undefined))
          )
        }).pipe(
          Effect.flatMap((error) =>
            error === undefined
              ? Effect.void
              : Effect.logWarning("The service manager could not be told").pipe(
                  Effect.annotateLogs({ states: states.join(" "), err: error.message })
                )
          )
        )
    })

  /** systemd where it waits (`NOTIFY_SOCKET`), else none. */
  static readonly ofEnvironment = (
    environment: Readonly<Record<string, string | undefined>>,
    pid: number
  ): Layer.Layer<ServiceManager> =>
    environment.NOTIFY_SOCKET === undefined ? ServiceManager.none : ServiceManager.systemd(pid)
}
