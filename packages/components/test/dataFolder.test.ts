import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dataFolder } from "../src/apiserver/dataFolder.ts"
import { Host } from "../src/host/Host.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "data-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

describe("--data-dir", () => {
  it.effect("is a folder, which is made if there is none", () =>
    Effect.gen(function* () {
      const temporaryFolder = yield* temporary
      const host = { temporaryFolder } as typeof Host.Service
      const folderOf = (named: string) => Effect.provideService(dataFolder(named), Host, host)
      const made = join(temporaryFolder, "a", "b")
      assert.strictEqual(yield* folderOf(made), made)
      const file = join(temporaryFolder, "file")
      writeFileSync(file, "")
      const { message } = yield* Effect.flip(folderOf(file))
      assert.strictEqual(message, `command line: --data-dir: ${file}: is a file, expected a folder`)
      assert.match((yield* Effect.flip(folderOf(join(file, "below")))).message, /: ENOTDIR: not a directory/)
    })
  )
})
