import { assert, describe, it } from "@effect/vitest"
import { loadScenarioText, type Plan } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as TestClock from "effect/testing/TestClock"
import { makeProgress } from "../src/progress.ts"
import { scenario } from "./cli.ts"

const simulation = { elapsedMs: () => 45_000, steps: () => 12_345 }

/** Returns the output during a rehearsal of 3 min that runs for 10 s, sampled each 100 ms. */
const progressOutput = (plan: Plan, options: { readonly terminal: boolean; readonly quiet: boolean }) =>
  Effect.gen(function* () {
    const texts: Array<string> = []
    const append = (chunk: string | Uint8Array) => Effect.sync(() => void texts.push(String(chunk)))
    const stdio = Stdio.layerTest({
      stderr: () => Sink.forEach(append),
      stderrIsTerminal: Effect.succeed(options.terminal)
    })
    yield* Effect.gen(function* () {
      const progress = yield* makeProgress(plan, options.quiet)
      for (let turn = 0; turn < 100; turn++) {
        yield* TestClock.adjust("100 millis")
        yield* progress.show(simulation)
      }
      yield* progress.done
    }).pipe(Effect.provide(stdio))
    return texts
  })

const plans = loadScenarioText(scenario()).pipe(Effect.map(([plan]) => plan as Plan))

describe("progress", () => {
  it.effect("is an occasional line without a terminal", () =>
    Effect.gen(function* () {
      const texts = yield* progressOutput(yield* plans, { terminal: false, quiet: false })
      assert.deepStrictEqual(texts, [
        "small: 00:45.0 of 03:00.0 (25 %), 9 times real time, 12,345 events\n",
        "small: 00:45.0 of 03:00.0 (25 %), 5 times real time, 12,345 events\n"
      ])
    })
  )

  it.effect("is a rewritten bar on a terminal, cleared at the end", () =>
    Effect.gen(function* () {
      const texts = yield* progressOutput(yield* plans, { terminal: true, quiet: false })
      assert.lengthOf(texts, 51)
      assert.strictEqual(
        texts[0],
        "\r[======                  ] small: 00:45.0 of 03:00.0 (25 %), 225 times real time, 12,345 events\u001b[K"
      )
      assert.strictEqual(texts.at(-1), "\r\u001b[K")
    })
  )

  it.effect("is empty with --quiet", () =>
    Effect.gen(function* () {
      for (const terminal of [true, false]) {
        assert.deepStrictEqual(yield* progressOutput(yield* plans, { terminal, quiet: true }), [])
      }
    })
  )
})
