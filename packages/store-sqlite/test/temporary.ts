import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Operation } from "@rollcall/store"
import { probe } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { openSqliteStore, type SqliteOptions } from "../src/index.ts"

/** A folder that is gone with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "store.db"))

/** Opens, and probes. */
export const openProbe = (options: SqliteOptions) =>
  Effect.map(openSqliteStore(options), probe).pipe(Effect.provide(layerWallClock()))

export const put = (key: string, value: unknown): Operation => ({ type: "put", key, value })
export const del = (key: string): Operation => ({ type: "delete", key })
