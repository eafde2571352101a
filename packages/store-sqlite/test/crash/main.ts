/** `node test/crash/main.ts [ROUNDS]`: kills a writing process so many times (200), in a temporary folder. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { crashRounds } from "./rounds.ts"

const folder = mkdtempSync(join(tmpdir(), "crash-"))
try {
  const rounds = Number(process.argv[2] ?? "200")
  const report = await Effect.runPromise(Effect.provide(crashRounds(folder, rounds), layerWallClock()))
  process.stdout.write(`${JSON.stringify(report)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
