import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clusterStart, noteClock, resumedMs } from "../src/up/clusterClock.ts"

const MINUTE = 60_000
const noon = Date.UTC(2026, 0, 1, 12)

describe("the clock of a cluster that starts again", () => {
  it("is the machine's where it always was", () => {
    assert.strictEqual(resumedMs(undefined, noon - MINUTE, noon), noon)
    assert.strictEqual(resumedMs({ wallMs: noon - MINUTE, clusterMs: noon - MINUTE, speed: 1 }, noon, noon), noon)
  })

  it("goes on where it was left, as long as the machine's has not passed that", () => {
    const note = { wallMs: noon, clusterMs: noon, speed: 60 }
    // Two minutes of the machine's were 120 of the cluster's.
    const leftMs = noon + 2 * MINUTE
    assert.strictEqual(resumedMs(note, leftMs, noon + 3 * MINUTE), noon + 120 * MINUTE)
    assert.strictEqual(resumedMs(note, leftMs, noon + 119 * MINUTE), noon + 120 * MINUTE)
    assert.strictEqual(resumedMs(note, leftMs, noon + 121 * MINUTE), noon + 121 * MINUTE)
  })

  it("counts from where an earlier restart began, and takes no time of before the note for the cluster's", () => {
    const note = { wallMs: noon, clusterMs: noon + 120 * MINUTE, speed: 1 }
    assert.strictEqual(resumedMs(note, noon + MINUTE, noon + 5 * MINUTE), noon + 121 * MINUTE)
    assert.strictEqual(resumedMs({ ...note, speed: 60 }, noon - MINUTE, noon), noon + 120 * MINUTE)
  })

  it("is the machine's after a cluster that was slower", () => {
    assert.strictEqual(
      resumedMs({ wallMs: noon, clusterMs: noon, speed: 0.5 }, noon + 4 * MINUTE, noon + 5 * MINUTE),
      noon + 5 * MINUTE
    )
  })

  it.effect("is known by a note in the cluster's folder, and when its store was last written", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-components-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      assert.strictEqual(clusterStart("", noon), noon)
      assert.strictEqual(clusterStart(folder, noon), noon)
      const past = noon - 60 * MINUTE
      yield* noteClock(folder, { wallMs: past, clusterMs: past, speed: 60 })
      utimesSync(join(folder, "clock.json"), past / 1000, past / 1000)
      writeFileSync(join(folder, "store.sqlite"), "")
      utimesSync(join(folder, "store.sqlite"), (past + 10 * MINUTE) / 1000, (past + 10 * MINUTE) / 1000)
      assert.strictEqual(clusterStart(folder, noon), past + 600 * MINUTE)
      writeFileSync(join(folder, "clock.json"), "no clock")
      assert.strictEqual(clusterStart(folder, noon), noon)
      // One that goes by the machine's clock has none.
      yield* noteClock(folder, { wallMs: noon, clusterMs: noon, speed: 1 })
      assert.strictEqual(clusterStart(folder, noon), noon)
    }).pipe(Effect.scoped)
  )
})
