import { execFile } from "node:child_process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface ServiceManagerShape {
  /** Reports the state of the daemon as assignments of sd_notify(3): `READY=1`, `STOPPING=1`, `STATUS=…`. */
  readonly notify: (...states: ReadonlyArray<string>) => Effect.Effect<void>
}

/** How long the program systemd-notify may run. */
const TIMEOUT_MS = 5000

/** The service manager that started the daemon, such as systemd. */
export class ServiceManager extends Context.Service<ServiceManager, ServiceManagerShape>()(
  "@rollcall/server/ServiceManager"
) {
  /** The layer for a daemon without a service manager: it drops the notifications. */
  static readonly none: Layer.Layer<ServiceManager> = Layer.succeed(ServiceManager, { notify: () => Effect.void })

  /**
   * Notifies systemd with its program systemd-notify, because Node has no Unix datagram sockets. The unit needs `NotifyAccess=all`. A failed
   * notification is logged.
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
              : Effect.logWarning("Cannot notify the service manager").pipe(
                  Effect.annotateLogs({ states: states.join(" "), err: error.message })
                )
          )
        )
    })

  /** Returns the layer of systemd if it set `NOTIFY_SOCKET`, else `none`. `pid` is the process of the daemon. */
  static readonly ofEnvironment = (
    environment: Readonly<Record<string, string | undefined>>,
    pid: number
  ): Layer.Layer<ServiceManager> =>
    environment.NOTIFY_SOCKET === undefined ? ServiceManager.none : ServiceManager.systemd(pid)
}
