import { InhibitorError } from "@rollcall/shutdown"
import dbus, { type DBusError, type Message, type MessageBus } from "dbus-native"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The address of the system bus: DBUS_SYSTEM_BUS_ADDRESS, or the standard socket if that is not set. */
export const systemBusAddress: Config.Config<string> = Config.String("DBUS_SYSTEM_BUS_ADDRESS").pipe(
  Config.withDefault("unix:path=/run/dbus/system_bus_socket")
)

/** One connection to a bus, with the operations that a kubelet needs. */
export interface SystemBus {
  /** Fails when the connection is closed. */
  readonly alive: Effect.Effect<void, InhibitorError>
  /** Ends the connection. */
  readonly close: () => void
  /** Calls a method and returns its result. The message of an error starts with `failure`. */
  readonly call: (message: Message, failure: string) => Effect.Effect<unknown, InhibitorError>
  readonly addMatch: (rule: string) => Effect.Effect<void, InhibitorError>
  /** Calls the listener with the first value of each such signal; returns the unsubscribe function. */
  readonly onSignal: (
    from: { readonly path: string; readonly interface: string },
    member: string,
    listener: (value: unknown) => void
  ) => () => void
  /** Runs the listener once, when the connection closes, or at once if it has; returns a function that removes it. */
  readonly onClose: (listener: () => void) => () => void
}

const busError = (failure: string, error: { readonly message: string }) =>
  new InhibitorError({ message: failure === "" ? error.message : `${failure}: ${error.message}` })

const makeSystemBus = (bus: MessageBus): SystemBus => {
  let isClosed = false
  const closeListeners = new Set<() => void>()
  bus.connection.on("close", () => {
    isClosed = true
    for (const listener of closeListeners) listener()
    closeListeners.clear()
  })
  const alive = (failure: string) =>
    Effect.suspend(() =>
      isClosed ? Effect.fail(busError(failure, { message: "dbus: connection closed" })) : Effect.void
    )
  const call: SystemBus["call"] = (message, failure) =>
    Effect.andThen(
      alive(failure),
      Effect.callback<unknown, InhibitorError>((resume) => {
        bus.invoke(message).then(
          (value: unknown) => resume(Effect.succeed(value)),
          (error: DBusError) => resume(Effect.fail(busError(failure, error)))
        )
      })
    )
  return {
    alive: alive(""),
    close: () => void bus.close(),
    call,
    addMatch: (rule) =>
      Effect.asVoid(
        call(
          {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: "AddMatch",
            signature: "s",
            body: [rule]
          },
          ""
        )
      ),
    onSignal: (from, member, listener) => {
      const key = bus.mangle(from.path, from.interface, member)
      const onMessage = (body: ReadonlyArray<unknown> | undefined) => listener(body?.[0])
      bus.signals.on(key, onMessage)
      return () => bus.signals.off(key, onMessage)
    },
    onClose: (listener) => {
      if (isClosed) listener()
      else closeListeners.add(listener)
      return () => closeListeners.delete(listener)
    }
  }
}

/** Connects, and waits until the bus has accepted the connection. */
const openConnection = (address: string): Effect.Effect<MessageBus, InhibitorError> =>
  Effect.callback((resume) => {
    let bus: MessageBus
    try {
      // Node's sockets carry no file descriptors: see docs/dependencies.md.
      bus = dbus.createClient({ busAddress: address, fdTransport: false, variants: "wrap" })
    } catch (error) {
      return resume(Effect.fail(busError("", error instanceof Error ? error : { message: String(error) })))
    }
    // Stays registered: an error without a listener would end the process. The error is reported by the close and the
    // failed calls.
    bus.connection.on("error", (error) => resume(Effect.fail(busError("", error))))
    bus.getId().then(
      () => resume(Effect.succeed(bus)),
      (error: DBusError) => resume(Effect.fail(busError("", error)))
    )
    return Effect.promise(() => bus.close())
  })

/** Opens a connection to the bus at this address, until the scope ends or the bus closes it. */
export const connectBus = (address: string): Effect.Effect<SystemBus, InhibitorError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(openConnection(address), (bus) => Effect.promise(() => bus.close())),
    makeSystemBus
  )
