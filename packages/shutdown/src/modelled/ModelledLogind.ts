import type { Timer, TimersShape } from "@rollcall/time"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"

/** Why the machine powers off: the last lock was released, or the delay limit passed with locks held. */
export type PowerOff = "released" | "limit"

export interface ModelledLogindOptions {
  readonly timers: TimersShape
  /** `InhibitDelayMaxSec`; default 5 s, logind's own. */
  readonly inhibitDelayMs?: number
  /** The delay after an override, at the first, second, … read. Default: the requested delay, at once. */
  readonly afterOverride?: (seconds: number, look: number) => number
  /** Called when the machine powers off. Without it a shutdown is announced and never happens. */
  readonly powerOff?: (why: PowerOff) => void
}

/** A model of logind, as seen from logind's side. */
export interface ModelledLogind {
  /** The port that a shutdown manager connects to. */
  readonly inhibitor: ShutdownInhibitor["Service"]
  /**
   * Sends `PrepareForShutdown`. With true the machine powers off as soon as no lock is held, at the latest after the
   * delay; false cancels that.
   */
  readonly emit: (shuttingDown: boolean) => void
  readonly locksHeld: () => number
  /** Locks taken so far. */
  readonly locksTaken: () => number
  /** Seconds requested by overrides, in order. */
  readonly overrides: () => ReadonlyArray<number>
  readonly inhibitDelayMs: () => number
  /** How often the delay was read. */
  readonly delayLooks: () => number
  /** Stops the bus: sessions end, and this many connection attempts fail, by default all until it is started again. */
  readonly stopBus: (refusals?: number) => void
  readonly startBus: () => void
}

type Signals = Queue.Queue<boolean, Cause.Done>

const REFUSED = "dial unix /run/dbus/system_bus_socket: connect: connection refused"
const CLOSED = "dbus: connection closed by user"

const lost = (message: string) => Effect.fail(new InhibitorError({ message }))

/** One machine's logind in memory: signals, delay locks, the delay limit, and a bus that can stop. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one logind, and its D-Bus calls.
export const makeModelledLogind = (options: ModelledLogindOptions): ModelledLogind => {
  const { timers, afterOverride = (seconds) => seconds * 1000, powerOff } = options
  const sessions = new Set<Set<Signals>>()
  const locks = new Set<object>()
  const overrides: Array<number> = []
  let delayMs = options.inhibitDelayMs ?? 5000
  let looks = 0
  let looksSinceOverride = 0
  let taken = 0
  let refusals = 0
  let limit: Timer | undefined
  let announced = false

  const callOff = () => {
    announced = false
    if (limit !== undefined) timers.cancel(limit)
    limit = undefined
  }
  const goDown = (why: PowerOff) => {
    callOff()
    powerOff?.(why)
  }
  const released = (lock: object) => {
    if (locks.delete(lock) && locks.size === 0 && announced) goDown("released")
  }

  const look = () => {
    looks++
    const asked = overrides.at(-1)
    if (asked !== undefined) delayMs = afterOverride(asked, ++looksSinceOverride)
    return delayMs
  }

  const take = () => {
    const lock = {}
    locks.add(lock)
    taken++
    return Effect.sync(() => released(lock))
  }

  const endSession = (session: Set<Signals>) => {
    sessions.delete(session)
    for (const signals of session) Queue.endUnsafe(signals)
    session.clear()
  }

  const sessionOf = (session: Set<Signals>): InhibitorSession => {
    const alive = <A>(ask: () => A) => Effect.suspend(() => (sessions.has(session) ? Effect.sync(ask) : lost(CLOSED)))
    return {
      inhibitDelayMs: alive(look),
      overrideInhibitDelay: (seconds) =>
        alive(() => {
          overrides.push(seconds)
          looksSinceOverride = 0
        }),
      inhibit: alive(take),
      prepareForShutdown: Effect.gen(function* () {
        const signals: Signals = yield* Queue.unbounded<boolean, Cause.Done>()
        yield* alive(() => session.add(signals))
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            session.delete(signals)
            Queue.endUnsafe(signals)
          })
        )
        return Stream.fromQueue(signals)
      })
    }
  }

  const connect: Effect.Effect<InhibitorSession, InhibitorError, Scope.Scope> = Effect.suspend(() => {
    if (refusals > 0) {
      refusals--
      return lost(REFUSED)
    }
    const session = new Set<Signals>()
    sessions.add(session)
    return Effect.as(
      Effect.addFinalizer(() => Effect.sync(() => endSession(session))),
      sessionOf(session)
    )
  })

  return {
    inhibitor: { connect },
    emit: (shuttingDown) => {
      for (const session of sessions) for (const signals of session) Queue.offerUnsafe(signals, shuttingDown)
      callOff()
      if (!shuttingDown) return
      announced = true
      // Lock holders get the signal first. Without a holder the machine powers off at once.
      limit = timers.after(locks.size === 0 ? 0 : delayMs, () => goDown(locks.size === 0 ? "released" : "limit"))
    },
    locksHeld: () => locks.size,
    locksTaken: () => taken,
    overrides: () => overrides,
    inhibitDelayMs: () => delayMs,
    delayLooks: () => looks,
    stopBus: (times = Number.POSITIVE_INFINITY) => {
      refusals = times
      for (const session of [...sessions]) endSession(session)
    },
    startBus: () => {
      refusals = 0
    }
  }
}
