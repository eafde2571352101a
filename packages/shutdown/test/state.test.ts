import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Metric from "effect/Metric"
import { layerStateFile, makeMemoryState, ShutdownState, type ShutdownTimes } from "../src/index.ts"
import { gracefulShutdownEndTime, gracefulShutdownStartTime } from "../src/manager/shutdownMetrics.ts"
import { ShutdownStateError } from "../src/ports/ShutdownState.ts"
import { formatState, parseState } from "../src/state/stateText.ts"
import { gates, startTestManager, twoPeriods } from "./startTestManager.ts"

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5, 120)

describe("the text of the state", () => {
  it("is the kubelet's", () => {
    assert.strictEqual(
      formatState({ startMs, endMs: startMs + 880 }),
      '{"startTime":"2026-01-02T03:04:05.12Z","endTime":"2026-01-02T03:04:06Z"}'
    )
    assert.strictEqual(
      formatState({ startMs }),
      '{"startTime":"2026-01-02T03:04:05.12Z","endTime":"0001-01-01T00:00:00Z"}'
    )
  })

  it.effect("is parsed back, also with another time zone and nanoseconds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parseState(formatState({ startMs, endMs: startMs })), { startMs, endMs: startMs })
      assert.deepStrictEqual(
        yield* parseState('{"startTime":"2026-01-02T05:04:05.120000999+02:00","endTime":"0001-01-01T00:00:00Z"}'),
        { startMs }
      )
    })
  )

  it.effect("may leave out either time", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parseState("{}"), {})
      assert.deepStrictEqual(yield* parseState('{"endTime":"2026-01-02T03:04:05.12Z"}'), { endMs: startMs })
    })
  )

  it.effect("is refused when it is invalid", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(parseState("{"))) instanceof ShutdownStateError, true)
      const { message } = yield* Effect.flip(parseState('{"startTime":"yesterday"}'))
      assert.strictEqual(message, 'found "yesterday", expected a time (RFC 3339)')
    })
  )
})

describe("the state file", () => {
  it.live("is written atomically, with the path and mode of the real one, and leaves no other file", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* Effect.gen(function* () {
        const state = yield* ShutdownState
        assert.deepStrictEqual(yield* state.load, {})
        yield* state.store({ startMs })
        yield* state.store({ startMs, endMs: startMs + 1000 })
        assert.deepStrictEqual(yield* state.load, { startMs, endMs: startMs + 1000 })
      }).pipe(Effect.provide(layerStateFile(folder)))
      assert.deepStrictEqual(yield* fs.readDirectory(folder), ["graceful_node_shutdown_state"])
      const { mode } = yield* fs.stat(`${folder}/graceful_node_shutdown_state`)
      assert.strictEqual(mode & 0o777, 0o644)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("fails when it cannot be written or read", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const error = yield* Effect.flip(Effect.flatMap(ShutdownState, (state) => state.store({ startMs }))).pipe(
        Effect.provide(layerStateFile(`${folder}/none`))
      )
      assert.include(error.message, `${folder}/none`)
      yield* fs.writeFileString(`${folder}/graceful_node_shutdown_state`, "not JSON")
      const unread = yield* Effect.flip(Effect.flatMap(ShutdownState, (state) => state.load)).pipe(
        Effect.provide(layerStateFile(folder))
      )
      assert.strictEqual(unread._tag, "ShutdownStateError")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

const gauge = (metric: typeof gracefulShutdownStartTime) => Effect.map(Metric.value(metric), ({ value }) => value)
const gauges = Effect.all([gauge(gracefulShutdownStartTime), gauge(gracefulShutdownEndTime)])

describe("the stored state of a manager", () => {
  const recorder = (initial: ShutdownTimes = {}) => {
    const memory = makeMemoryState(initial)
    const stored: Array<ShutdownTimes> = []
    return {
      stored,
      state: {
        ...memory,
        store: (times: ShutdownTimes) =>
          Effect.andThen(
            Effect.sync(() => stored.push(times)),
            memory.store(times)
          )
      }
    }
  }

  it.effect("is the start time, then both times, and the gauges match", () =>
    Effect.gen(function* () {
      const { state, stored } = recorder()
      const testNode = startTestManager({ config: twoPeriods(30, 10), pods: [{ name: "web", stopsAfter: 7.5 }], state })
      testNode.signal(100, true)
      assert.deepStrictEqual(stored, [{ startMs: 100_000 }])
      assert.deepStrictEqual(yield* gauges, [100, 0])
      testNode.to(200)
      assert.deepStrictEqual(stored, [{ startMs: 100_000 }, { startMs: 100_000, endMs: 107_500 }])
      assert.deepStrictEqual(yield* gauges, [100, 107])
    })
  )

  it.effect("is loaded at the first start only, and zero times are not exported", () =>
    Effect.gen(function* () {
      yield* Metric.update(gracefulShutdownEndTime, 7)
      startTestManager({ config: twoPeriods(30, 10), state: recorder({ startMs: 5_900_000 }).state })
      assert.deepStrictEqual(yield* gauges, [5900, 7])
    })
  )

  it.effect("is empty while GracefulNodeShutdownBasedOnPodPriority is off", () =>
    Effect.gen(function* () {
      const before = yield* gauges
      const { state, stored } = recorder({ startMs: 1, endMs: 1 })
      const off = { ...gates, GracefulNodeShutdownBasedOnPodPriority: false }
      const testNode = startTestManager({ config: { ...twoPeriods(30, 10), featureGates: off }, state })
      testNode.signal(100, true)
      testNode.to(200)
      assert.deepStrictEqual(stored, [])
      assert.deepStrictEqual(yield* gauges, before)
    })
  )

  it("does not stop a shutdown when it cannot be stored", () => {
    const broken = Effect.fail(new ShutdownStateError({ message: "disk full" }))
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [{ name: "web", stopsAfter: 1 }],
      state: { load: broken, store: () => broken }
    })
    testNode.signal(0, true)
    testNode.to(10)
    assert.deepStrictEqual(testNode.phases(), ["0 0: web 20s", "1 done"])
    assert.deepStrictEqual(
      testNode.logs.filter((line) => line.startsWith("Error")),
      [
        "Error Failed to load graceful shutdown state",
        "Error Failed to store graceful shutdown state",
        "Error Failed to store graceful shutdown state"
      ]
    )
  })
})
