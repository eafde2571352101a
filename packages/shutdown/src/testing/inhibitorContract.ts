import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ShutdownInhibitor } from "../ports/ShutdownInhibitor.ts"

/** The logind of one test, with the controls that the test needs. */
export interface InhibitorRig {
  readonly inhibitor: ShutdownInhibitor["Service"]
  /** The delay that logind allows before any override, in milliseconds. */
  readonly inhibitDelayMs: number
  /** Sends the signal `PrepareForShutdown`, and completes when it has been sent. */
  readonly emit: (shuttingDown: boolean) => Effect.Effect<void>
  /** The number of delay locks for a shutdown that are held now. */
  readonly locksHeld: Effect.Effect<number>
  /** Stops the bus, or starts it again. */
  readonly stopBus: Effect.Effect<void>
  readonly startBus: Effect.Effect<void>
}

/** Waits until `read` returns the expected value: what is sent over a bus arrives after a while. */
const eventually = <A>(subject: string, read: Effect.Effect<A>, expected: A): Effect.Effect<void> =>
  read.pipe(
    Effect.filterOrFail(
      (value) => value === expected,
      (value) => new Error(`${subject}: expected ${String(expected)}, found ${String(value)}`)
    ),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ times: 500 }))),
    Effect.orDie,
    Effect.asVoid
  )

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.timeout(effect, "10 seconds")

/**
 * Registers the tests that every implementation of the ShutdownInhibitor port must pass, in a vitest file. Each test
 * makes its own rig. The tests run on the wall clock, because a real bus does.
 */
export const inhibitorContract = (name: string, rig: Effect.Effect<InhibitorRig, unknown, Scope.Scope>): void => {
  const withRig = (label: string, body: (rig: InhibitorRig) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it.live(label, () => Effect.scoped(Effect.flatMap(rig, body)), 30_000)

  describe(`${name}: delay`, () => {
    withRig("reports for how long a lock delays a shutdown", ({ inhibitDelayMs, inhibitor }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        assert.strictEqual(yield* session.inhibitDelayMs, inhibitDelayMs)
      })
    )

    withRig("is longer some time after it was overridden", ({ inhibitDelayMs, inhibitor }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        const seconds = inhibitDelayMs / 1000 + 90
        yield* session.overrideInhibitDelay(seconds)
        yield* eventually("the delay", Effect.orDie(session.inhibitDelayMs), seconds * 1000)
        const other = yield* inhibitor.connect
        assert.strictEqual(yield* other.inhibitDelayMs, seconds * 1000)
      })
    )
  })

  describe(`${name}: locks`, () => {
    withRig("are held until they are released", ({ inhibitor, locksHeld }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        yield* eventually("locks at first", locksHeld, 0)
        const release = yield* session.inhibit
        yield* eventually("locks", locksHeld, 1)
        yield* release
        yield* eventually("locks after the release", locksHeld, 0)
      })
    )

    withRig("are each released by their own release", ({ inhibitor, locksHeld }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        const first = yield* session.inhibit
        const second = yield* session.inhibit
        yield* eventually("locks", locksHeld, 2)
        yield* first
        yield* eventually("locks after one release", locksHeld, 1)
        yield* second
        yield* eventually("locks after both", locksHeld, 0)
      })
    )

    withRig("are not released by another lock's second release", ({ inhibitor, locksHeld }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        const first = yield* session.inhibit
        yield* first
        yield* eventually("locks after the release", locksHeld, 0)
        // The released lock's file descriptor number may have been reused for another lock.
        const second = yield* session.inhibit
        yield* eventually("locks", locksHeld, 1)
        yield* first
        yield* Effect.sleep("100 millis")
        assert.strictEqual(yield* locksHeld, 1)
        yield* second
        yield* eventually("locks in the end", locksHeld, 0)
      })
    )

    withRig("outlive the session that took them", ({ inhibitor, locksHeld }) =>
      Effect.gen(function* () {
        const release = yield* Effect.scoped(Effect.flatMap(inhibitor.connect, (session) => session.inhibit))
        yield* Effect.sleep("100 millis")
        yield* eventually("locks", locksHeld, 1)
        yield* release
        yield* eventually("locks after the release", locksHeld, 0)
      })
    )
  })

  describe(`${name}: signals`, () => {
    withRig("arrive in order, at each subscriber", ({ emit, inhibitor }) =>
      Effect.gen(function* () {
        const first = yield* (yield* inhibitor.connect).prepareForShutdown
        const second = yield* (yield* inhibitor.connect).prepareForShutdown
        for (const value of [true, false, false, true]) yield* emit(value)
        for (const signals of [first, second]) {
          assert.deepStrictEqual(yield* within(Stream.runCollect(Stream.take(signals, 4))), [true, false, false, true])
        }
      })
    )

    withRig("wait for a subscriber that is busy with the last one", ({ emit, inhibitor }) =>
      Effect.gen(function* () {
        const signals = yield* (yield* inhibitor.connect).prepareForShutdown
        const received: Array<boolean> = []
        const busy = yield* signals.pipe(
          Stream.take(3),
          Stream.runForEach((value) =>
            Effect.andThen(
              Effect.sync(() => received.push(value)),
              Effect.sleep("50 millis")
            )
          ),
          Effect.forkScoped
        )
        for (const value of [true, true, false]) yield* emit(value)
        yield* within(Fiber.join(busy))
        assert.deepStrictEqual(received, [true, true, false])
      })
    )

    withRig("do not include those from before the subscription", ({ emit, inhibitor }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        yield* emit(true)
        // A reply on the same bus after the signal: by now the signal has passed.
        yield* session.inhibitDelayMs
        const signals = yield* session.prepareForShutdown
        yield* emit(false)
        assert.deepStrictEqual(yield* within(Stream.runCollect(Stream.take(signals, 1))), [false])
      })
    )
  })

  describe(`${name}: the bus`, () => {
    withRig("ends the signals when it stops, and later requests fail", ({ emit, inhibitor, stopBus }) =>
      Effect.gen(function* () {
        const session = yield* inhibitor.connect
        const signals = yield* session.prepareForShutdown
        const received = yield* Effect.forkScoped(Stream.runCollect(signals))
        yield* emit(true)
        yield* Effect.sleep("100 millis")
        yield* stopBus
        assert.deepStrictEqual(yield* within(Fiber.join(received)), [true])
        const error = yield* within(Effect.flip(session.inhibitDelayMs))
        assert.strictEqual(error._tag, "InhibitorError")
        assert.strictEqual((yield* within(Effect.flip(Effect.asVoid(session.inhibit))))._tag, "InhibitorError")
      })
    )

    withRig(
      "refuses connections while it is stopped, and accepts them when it runs again",
      ({ emit, inhibitor, startBus, stopBus }) =>
        Effect.gen(function* () {
          yield* inhibitor.connect
          yield* stopBus
          assert.strictEqual((yield* within(Effect.flip(inhibitor.connect)))._tag, "InhibitorError")
          yield* startBus
          const session = yield* within(
            inhibitor.connect.pipe(Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: 200 }))))
          )
          const signals = yield* session.prepareForShutdown
          yield* emit(true)
          assert.deepStrictEqual(yield* within(Stream.runCollect(Stream.take(signals, 1))), [true])
          const release = yield* session.inhibit
          yield* release
        })
    )

    withRig("ends the signals of a session whose scope ends", ({ inhibitor }) =>
      Effect.gen(function* () {
        const watching = yield* Effect.scoped(
          Effect.gen(function* () {
            const signals = yield* (yield* inhibitor.connect).prepareForShutdown
            const fiber = yield* Effect.forkDetach(Stream.runCollect(signals))
            yield* Effect.sleep("50 millis")
            return fiber
          })
        )
        assert.deepStrictEqual(yield* within(Fiber.join(watching)), [])
      })
    )
  })
}
