import { userInfo } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { fullDisk } from "../../src/disk/fullDisk.ts"

const isRoot = userInfo().uid === 0

export const fullDiskScenario = () =>
  describe.skipIf(!isRoot)(isRoot ? "a full disk" : "a full disk: skipped, only root may mount a small one", () => {
    it.live(
      "refuses writes with a clear error, serves reads, loses nothing, and accepts writes once there is space",
      () =>
        Effect.gen(function* () {
          const report = yield* fullDisk
          // A container without permission to mount cannot run this test.
          if (report === undefined) return
          assert.isAtLeast(report.code, 500)
          assert.match(report.message, /disk is full/)
          assert.isAbove(report.refused, 1)
          assert.strictEqual(report.onFullDisk, "starts")
        }).pipe(Effect.provide(layerWallClock())),
      90_000
    )
  })
