import type { Timer, TimersShape } from "@rollcall/time"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"

/**
 * Why the machine powers off: because the last lock was released, or because the delay passed while locks were held.
 */
export type PowerOff = "released" | "limit"

/** The settings of a modelled logind. */
export interface ModelledLogindOptions {
  readonly timers: TimersShape
  /** `InhibitDelayMaxSec` in milliseconds; default logind's own, 5 s. */
  readonly inhibitDelayMs?: number
  /**
   * Returns the delay in milliseconds at read number `read` (from 1) after an override. Default: the requested seconds.
   */
  readonly afterOverride?: (seconds: number, read: number) => number
  /** Called when the machine powers off; absent if a shutdown is only announced. */
  readonly powerOff?: (cause: PowerOff) => void
}

/** A model of logind, with the controls of its machine. */
export interface ModelledLogind {
  /** The port that a shutdown manager connects to. */
  readonly inhibitor: ShutdownInhibitor["Service"]
  /**
   * Sends the signal `PrepareForShutdown`. With true, the machine powers off as soon as no lock is held, and at the
   * latest after the delay. With false, that is cancelled.
   */
  readonly emit: (shuttingDown: boolean) => void
  readonly locksHeld: () => number
  /** Returns the number of locks that were ever taken. */
  readonly locksTaken: () => number
  /** Returns the seconds that were requested by overrides, in order. */
  readonly overrides: () => ReadonlyArray<number>
  readonly inhibitDelayMs: () => number
  /** Returns how often the delay was read. */
  readonly delayReadCount: () => number
  /** Stops the bus. Sessions end, and `refusals` connection attempts fail; by default all until it is started again. */
  readonly stopBus: (refusals?: number) => void
  readonly startBus: () => void
}

type Signals = Queue.Queue<boolean, Cause.Done>

const REFUSED = "dial unix /run/dbus/system_bus_socket: connect: connection refused"
const CLOSED = "dbus: connection closed by user"

const connectionFailure = (message: string) => Effect.fail(new InhibitorError({ message }))

/** Makes one machine's logind in memory: signals, delay locks, the delay limit, and a bus that can stop. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one logind, and its D-Bus calls.
export const makeModelledLogind = (options: ModelledLogindOptions): ModelledLogind => {
  const { timers, afterOverride = (seconds) => seconds * 1000, powerOff } = options
  const sessions = new Set<Set<Signals>>()
  const locks = new Set<object>()
  const overrides: Array<number> = []
  let delayMs = options.inhibitDelayMs ?? 5000
  let delayReads = 0
  let readsSinceOverride = 0
  let locksTaken = 0
  let refusals = 0
  let limitTimer: Timer | undefined
  let isShutdownAnnounced = false

  const cancelShutdown = () => {
    isShutdownAnnounced = false
    if (limitTimer !== undefined) timers.cancel(limitTimer)
    limitTimer = undefined
  }
  const powerOffNow = (cause: PowerOff) => {
    cancelShutdown()
    powerOff?.(cause)
  }
  const releaseLock = (lock: object) => {
    if (locks.delete(lock) && locks.size === 0 && isShutdownAnnounced) powerOffNow("released")
  }

  const readDelay = () => {
    delayReads++
    const requestedSeconds = overrides.at(-1)
    if (requestedSeconds !== undefined) delayMs = afterOverride(requestedSeconds, ++readsSinceOverride)
    return delayMs
  }

  const takeLock = () => {
    const lock = {}
    locks.add(lock)
    locksTaken++
    return Effect.sync(() => releaseLock(lock))
  }

  const endSession = (session: Set<Signals>) => {
    sessions.delete(session)
    for (const signals of session) Queue.endUnsafe(signals)
    session.clear()
  }

  const sessionOf = (session: Set<Signals>): InhibitorSession => {
    const whileConnected = <A>(act: () => A) =>
      Effect.suspend(() => (sessions.has(session) ? Effect.sync(act) : connectionFailure(CLOSED)))
    return {
      inhibitDelayMs: whileConnected(readDelay),
      overrideInhibitDelay: (seconds) =>
        whileConnected(() => {
          overrides.push(seconds)
          readsSinceOverride = 0
        }),
      inhibit: whileConnected(takeLock),
      prepareForShutdown: Effect.gen(function* () {
        const signals: Signals = yield* Queue.unbounded<boolean, Cause.Done>()
        yield* whileConnected(() => session.add(signals))
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
      return connectionFailure(REFUSED)
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
      cancelShutdown()
      if (!shuttingDown) return
      isShutdownAnnounced = true
      // Lock holders get the signal first. Without a holder the machine powers off at once.
      limitTimer = timers.after(locks.size === 0 ? 0 : delayMs, () =>
        powerOffNow(locks.size === 0 ? "released" : "limit")
      )
    },
    locksHeld: () => locks.size,
    locksTaken: () => locksTaken,
    overrides: () => overrides,
    inhibitDelayMs: () => delayMs,
    delayReadCount: () => delayReads,
    stopBus: (times = Number.POSITIVE_INFINITY) => {
      refusals = times
      for (const session of [...sessions]) endSession(session)
    },
    startBus: () => {
      refusals = 0
    }
  }
}
