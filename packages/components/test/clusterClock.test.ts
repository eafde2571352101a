import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Host, type HostShape, runComponent } from "../src/index.ts"
import { type ClockNote, clusterStart, resumedMs, writeClockNote } from "../src/up/clusterClock.ts"

const MINUTE = 60_000
const noon = Date.UTC(2026, 0, 1, 12)

const HOUR = 60 * MINUTE

/** A process that tells when it serves. */
const hostIn = (folder: string, serves: () => void): HostShape => ({
  environment: {},
  hostname: "test",
  homeFolder: folder,
  temporaryFolder: folder,
  wallClockMs: Date.now,
  processId: process.pid,
  print: (line) => {
    if (line.startsWith("export KUBECONFIG")) serves()
  },
  log: (line) => {
    if (line.includes("Serving the Kubernetes API")) serves()
  },
  output: () => undefined,
  error: () => undefined,
  stdin: () => Promise.resolve("")
})

describe("a restarted cluster whose clock was ahead", () => {
  const programs = [
    ["up", "--port=0"],
    ["apiserver", "--secure-port=0"]
  ] as const
  for (const [name, port] of programs) {
    it.live(
      `goes on there: ${name}`,
      () =>
        Effect.gen(function* () {
          const folder = mkdtempSync(join(tmpdir(), "rollcall-components-"))
          yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
          const wallMs = Date.now()
          yield* writeClockNote(folder, { wallMs, clusterMs: wallMs + 5 * HOUR, speed: 1 })
          const serving = yield* Deferred.make<void>()
          const host = hostIn(folder, () => Deferred.doneUnsafe(serving, Effect.void))
          const program = runComponent(name, [port, "--data-dir", folder]).pipe(Effect.provideService(Host, host))
          yield* Effect.forkScoped(program)
          yield* Deferred.await(serving)
          const noted = JSON.parse(readFileSync(join(folder, "clock.json"), "utf8")) as ClockNote
          // By the machine's clock five hours have not passed.
          assert.isAbove(noted.clusterMs - noted.wallMs, 4 * HOUR)
        }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
      60_000
    )
  }
})

describe("the clock of a cluster that starts again", () => {
  it("is the machine's if it always was", () => {
    assert.strictEqual(resumedMs(undefined, noon - MINUTE, noon), noon)
    assert.strictEqual(resumedMs({ wallMs: noon - MINUTE, clusterMs: noon - MINUTE, speed: 1 }, noon, noon), noon)
  })

  it("continues where it stopped, until the machine's clock has passed that", () => {
    const note = { wallMs: noon, clusterMs: noon, speed: 60 }
    // Two minutes of the machine's were 120 of the cluster's.
    const leftMs = noon + 2 * MINUTE
    assert.strictEqual(resumedMs(note, leftMs, noon + 3 * MINUTE), noon + 120 * MINUTE)
    assert.strictEqual(resumedMs(note, leftMs, noon + 119 * MINUTE), noon + 120 * MINUTE)
    assert.strictEqual(resumedMs(note, leftMs, noon + 121 * MINUTE), noon + 121 * MINUTE)
  })

  it("counts from the start of an earlier restart, and ignores time before the note", () => {
    const note = { wallMs: noon, clusterMs: noon + 120 * MINUTE, speed: 1 }
    assert.strictEqual(resumedMs(note, noon + MINUTE, noon + 5 * MINUTE), noon + 121 * MINUTE)
    assert.strictEqual(resumedMs({ ...note, speed: 60 }, noon - MINUTE, noon), noon + 120 * MINUTE)
  })

  it("is the machine's after a slower cluster", () => {
    assert.strictEqual(
      resumedMs({ wallMs: noon, clusterMs: noon, speed: 0.5 }, noon + 4 * MINUTE, noon + 5 * MINUTE),
      noon + 5 * MINUTE
    )
  })

  it.effect("follows from a note in the cluster's folder, and the last write of its store", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-components-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      assert.strictEqual(clusterStart("", noon), noon)
      assert.strictEqual(clusterStart(folder, noon), noon)
      const past = noon - 60 * MINUTE
      yield* writeClockNote(folder, { wallMs: past, clusterMs: past, speed: 60 })
      utimesSync(join(folder, "clock.json"), past / 1000, past / 1000)
      writeFileSync(join(folder, "store.sqlite"), "")
      utimesSync(join(folder, "store.sqlite"), (past + 10 * MINUTE) / 1000, (past + 10 * MINUTE) / 1000)
      assert.strictEqual(clusterStart(folder, noon), past + 600 * MINUTE)
      writeFileSync(join(folder, "clock.json"), "no clock")
      assert.strictEqual(clusterStart(folder, noon), noon)
      // A cluster on the machine's clock has no note.
      yield* writeClockNote(folder, { wallMs: noon, clusterMs: noon, speed: 1 })
      assert.strictEqual(clusterStart(folder, noon), noon)
    }).pipe(Effect.scoped)
  )
})
