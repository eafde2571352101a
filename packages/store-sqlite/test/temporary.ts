import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Operation } from "@rollcall/store"
import { probe } from "@rollcall/store/testing/probe"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { openSqliteStore, type SqliteOptions } from "../src/index.ts"

const MEMORY_FILE_SYSTEM = "/dev/shm"
const MIN_FREE_BYTES = 2 ** 30

const hasEnoughSpace = (folder: string): boolean => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > MIN_FREE_BYTES
}

/**
 * In memory where there is such a file system: a store of a test waits for a disk a thousand times, and what a process leaves that is killed, or
 * what is in a file that is damaged, is the same on each.
 */
const parentFolder =
  existsSync(MEMORY_FILE_SYSTEM) && hasEnoughSpace(MEMORY_FILE_SYSTEM) ? MEMORY_FILE_SYSTEM : tmpdir()

/** Creates a folder that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(parentFolder, "store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "store.db"))

/** Opens a store, and wraps it with a probe. */
export const openProbe = (options: SqliteOptions) =>
  Effect.map(openSqliteStore(options), probe).pipe(Effect.provide(layerWallClock()))

export const put = (key: string, value: unknown): Operation => ({ type: "put", key, value })
export const del = (key: string): Operation => ({ type: "delete", key })
