import { spawnSync } from "node:child_process"
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { StoreFileRefused } from "../src/index.ts"
import { migrate } from "../src/internal/format.ts"
import { openProbe, put, temporaryFile } from "./temporary.ts"

const sql = (file: string, text: string) => {
  const database = new DatabaseSync(file)
  database.exec(text)
  database.close()
}

/** A file with enough in it for damage to lie in the middle. */
const makeStoreFile = Effect.gen(function* () {
  const file = yield* temporaryFile
  yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openProbe({ file })
      for (let n = 0; n < 40; n++) yield* store.write(put(`/${n}`, "x".repeat(2000)))
    })
  )
  return file
})

const assertRefused = (file: string, reason: StoreFileRefused["reason"], hint: string) =>
  Effect.gen(function* () {
    const before = readFileSync(file)
    const error = yield* Effect.flip(Effect.scoped(openProbe({ file })))
    assert.deepInclude(error, { _tag: "StoreFileRefused", file, reason })
    assert.include(error.message, file)
    assert.include(error.message, hint)
    assert.isTrue(before.equals(readFileSync(file)), "the file is as it was")
  })

describe("a file that cannot be opened", () => {
  it.live("is not a database", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      writeFileSync(
        file,
        "a letter to my aunt, which is longer than the header of a database would be, by far".repeat(9)
      )
      yield* assertRefused(file, "damaged", "backup")
    })
  )

  it.live("is in a folder that cannot be written", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFile, "missing", "store.sqlite")
      const error = yield* Effect.flip(Effect.scoped(openProbe({ file })))
      assert.deepInclude(error, { _tag: "StoreFileRefused", reason: "unavailable" })
      assert.include(error.message, `cannot be opened: ENOENT: no such file or directory, access '${dirname(file)}'`)
    })
  )

  it.live("was truncated", () =>
    Effect.gen(function* () {
      const file = yield* makeStoreFile
      truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)
      yield* assertRefused(file, "damaged", "backup")
    })
  )

  it.live("has an overwritten page", () =>
    Effect.gen(function* () {
      const file = yield* makeStoreFile
      const bytes = readFileSync(file)
      bytes.fill(0xa5, 4096 * 10, 4096 * 11)
      writeFileSync(file, bytes)
      yield* assertRefused(file, "damaged", "backup")
    })
  )

  it.live("lacks its tables, or has values that are not JSON", () =>
    Effect.gen(function* () {
      const bare = yield* makeStoreFile
      sql(bare, "DROP TABLE compaction")
      yield* assertRefused(bare, "damaged", "no such table")
      const strange = yield* makeStoreFile
      sql(strange, "UPDATE changes SET value = '{' WHERE sequence = 7")
      yield* assertRefused(strange, "lost", "row 7 (/6) is damaged")
    })
  )

  it.live("belongs to another program", () =>
    Effect.gen(function* () {
      const nameless = yield* temporaryFile
      sql(nameless, "CREATE TABLE notes (text)")
      yield* assertRefused(nameless, "foreign", "another program")
      const named = yield* temporaryFile
      sql(named, "PRAGMA application_id = 7; CREATE TABLE changes (text)")
      yield* assertRefused(named, "foreign", "another program")
    })
  )

  it.live("has a newer format", () =>
    Effect.gen(function* () {
      const file = yield* makeStoreFile
      sql(file, "PRAGMA user_version = 99")
      yield* assertRefused(file, "newer", "format 99")
    })
  )

  it.live("is open already, until it is closed", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(Effect.andThen(openProbe({ file }), assertRefused(file, "locked", "another process")))
      const store = yield* openProbe({ file })
      assert.strictEqual(yield* store.write(put("/a", 1)), 1)
    })
  )

  it.live("is open in another process", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const store = yield* openProbe({ file })
      const writer = fileURLToPath(new URL("./crash/writer.ts", import.meta.url))
      const other = spawnSync(process.execPath, [writer, file], { encoding: "utf8" })
      assert.notStrictEqual(other.status, 0)
      assert.include(other.stderr, `${file} is open in another process`)
      assert.strictEqual(yield* store.write(put("/a", 1)), 1)
    })
  )

  it.live("is in a missing folder", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFile, "missing", "store.db")
      const error = yield* Effect.flip(Effect.scoped(openProbe({ file })))
      assert.deepInclude(error, { _tag: "StoreFileRefused", reason: "unavailable" })
      assert.include(error.message, file)
    })
  )
})

describe("a new file", () => {
  it.live("is readable only by its owner", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const store = yield* openProbe({ file })
      yield* store.write(put("/secret", 1))
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(`${file}-wal`).mode & 0o777, 0o600)
    })
  )

  it.live("may exist already, if it is empty", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      writeFileSync(file, "")
      const store = yield* openProbe({ file })
      assert.strictEqual(yield* store.write(put("/a", 1)), 1)
    })
  )
})

describe("migrations", () => {
  const first = (database: DatabaseSync) => database.exec("CREATE TABLE a (x); INSERT INTO a VALUES (1)")
  const second = (database: DatabaseSync) => database.exec("ALTER TABLE a ADD COLUMN y DEFAULT 2")
  const broken = (database: DatabaseSync) => database.exec("CREATE TABLE b (x); DROP TABLE missing")
  const versionOf = (database: DatabaseSync) => database.prepare("PRAGMA user_version").get()?.user_version
  const rowOf = (database: DatabaseSync) => ({ ...database.prepare("SELECT * FROM a").get() })

  it("bring a file of any format to the newest, once", () => {
    const database = new DatabaseSync(":memory:")
    migrate(database, [first])
    assert.deepStrictEqual([versionOf(database), rowOf(database)], [1, { x: 1 }])
    migrate(database, [first, second])
    migrate(database, [first, second])
    assert.deepStrictEqual([versionOf(database), rowOf(database)], [2, { x: 1, y: 2 }])
    assert.deepStrictEqual(migrate(database, [first]), { newer: 2 })
    database.close()
  })

  it("leave the file unchanged when a step fails", () => {
    const database = new DatabaseSync(":memory:")
    migrate(database, [first])
    assert.throws(() => migrate(database, [first, second, broken]), "no such table")
    assert.deepStrictEqual([versionOf(database), rowOf(database)], [1, { x: 1 }])
    database.close()
  })
})
