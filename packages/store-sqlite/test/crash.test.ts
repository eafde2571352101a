import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { crashRounds } from "./crash/rounds.ts"

describe("a store whose process is killed", () => {
  // The same, longer: node packages/store-sqlite/test/crash/main.ts 200
  it.live(
    "keeps acknowledged writes, and uses no revision twice",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "crash-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true }))
        )
        const report = yield* Effect.provide(crashRounds(folder, 15), layerWallClock())
        assert.isAbove(report.acknowledged, 0)
      }),
    60_000
  )
})
