import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Store } from "@rollcall/store"
import { storeContract } from "@rollcall/store/testing"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { openSqliteStore, type SqliteOptions } from "../src/index.ts"

/** A store in a folder of its own, gone with the scope. */
const layerTemporary = (options: Omit<SqliteOptions, "file"> = {}) =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "store-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      return yield* openSqliteStore({ file: join(folder, "store.db"), ...options })
    })
  ).pipe(Layer.provide(layerWallClock()))

storeContract("SQLite", layerTemporary(), { runs: 15 })
storeContract("SQLite with little in memory", layerTemporary({ recentRevisions: 2 }), { runs: 15 })
