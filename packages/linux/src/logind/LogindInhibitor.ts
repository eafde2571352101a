import { InhibitorError, type InhibitorSession, ShutdownInhibitor } from "@rollcall/shutdown"
import { Variant } from "dbus-native"
import type * as Cause from "effect/Cause"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { takeLock } from "./inhibitLock.ts"
import { LOGIND, SYSTEMD } from "./names.ts"
import { writeOverride } from "./overrideFile.ts"
import { connectBus, type SystemBus, systemBusAddress } from "./systemBus.ts"

export interface LogindOptions {
  /** The system bus, as a D-Bus address: `unix:path=/run/dbus/system_bus_socket`. */
  readonly busAddress: string
  /** The folder that contains `etc/systemd/logind.conf.d`; the default is `/`. */
  readonly root?: string
}

/** Capacity for signals that wait for their handler; beyond it the oldest are dropped. */
const MAX_WAITING_SIGNALS = 64

const readInhibitDelayMs = (bus: SystemBus): Effect.Effect<number, InhibitorError> =>
  bus
    .call(
      {
        ...LOGIND,
        interface: "org.freedesktop.DBus.Properties",
        member: "Get",
        signature: "ss",
        body: [LOGIND.interface, "InhibitDelayMaxUSec"]
      },
      "failed reading InhibitDelayMaxUSec property from logind"
    )
    .pipe(
      Effect.flatMap((answer) =>
        answer instanceof Variant && answer.signature === "t"
          ? Effect.succeed(Number(answer.value) / 1000)
          : Effect.fail(new InhibitorError({ message: "InhibitDelayMaxUSec from logind is not a uint64 as expected" }))
      )
    )

const SIGHUP = 1

const reload = (bus: SystemBus): Effect.Effect<void, InhibitorError> =>
  Effect.asVoid(
    bus.call(
      { ...SYSTEMD, member: "KillUnit", signature: "ssi", body: ["systemd-logind.service", "all", SIGHUP] },
      "unable to reload logind conf"
    )
  )

const isBoolean = (value: unknown): Effect.Effect<boolean> =>
  typeof value === "boolean"
    ? Effect.succeed(true)
    : Effect.as(
        Effect.logError(
          value === undefined
            ? "Failed obtaining shutdown event, PrepareForShutdown event was empty"
            : "Failed obtaining shutdown event, PrepareForShutdown event was not bool type as expected"
        ),
        false
      )

const prepareForShutdown = (bus: SystemBus): InhibitorSession["prepareForShutdown"] =>
  Effect.gen(function* () {
    const signals = yield* Queue.sliding<unknown, Cause.Done>(MAX_WAITING_SIGNALS)
    const unsubscribe = bus.onSignal(LOGIND, "PrepareForShutdown", (value) => Queue.offerUnsafe(signals, value))
    const removeCloseListener = bus.onClose(() => Queue.endUnsafe(signals))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        unsubscribe()
        removeCloseListener()
        Queue.endUnsafe(signals)
      })
    )
    yield* bus.addMatch(
      `type='signal',interface='${LOGIND.interface}',member='PrepareForShutdown',path='${LOGIND.path}'`
    )
    return Stream.fromQueue(signals).pipe(
      Stream.filterEffect(isBoolean),
      Stream.map((value) => value === true)
    )
  })

/**
 * systemd-logind as a ShutdownInhibitor: property, signal and reload over D-Bus, the lock by systemd-inhibit on the
 * same bus. Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go.
 */
export const makeLogindInhibitor = (options: LogindOptions): ShutdownInhibitor["Service"] => ({
  connect: Effect.map(connectBus(options.busAddress), (bus): InhibitorSession => {
    const delay = readInhibitDelayMs(bus)
    return {
      inhibitDelayMs: delay,
      overrideInhibitDelay: (seconds) => Effect.andThen(writeOverride(options.root ?? "/", seconds), reload(bus)),
      // Losing the lock closes the session: its user then reconnects and takes another lock.
      inhibit: Effect.andThen(bus.alive, takeLock(options.busAddress, bus.close)),
      prepareForShutdown: prepareForShutdown(bus)
    }
  })
})

/** The inhibitor of this machine, on the bus of DBUS_SYSTEM_BUS_ADDRESS, else the standard one. */
export const layerLogind = (options: Partial<LogindOptions> = {}): Layer.Layer<ShutdownInhibitor, Config.ConfigError> =>
  Layer.effect(
    ShutdownInhibitor,
    Effect.gen(function* () {
      const busAddress = options.busAddress ?? (yield* systemBusAddress)
      return makeLogindInhibitor({ ...options, busAddress })
    })
  )
