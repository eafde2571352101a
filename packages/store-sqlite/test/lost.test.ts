import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { del, openProbe, put, temporaryFile, temporaryFolder } from "./temporary.ts"

const FILE_SUFFIXES = ["", "-wal", "-acked"] as const

/** What the disk holds of an open store: what a killed process leaves, or a copy of the folder. */
const copyOf = (file: string) =>
  Effect.map(temporaryFolder, (folder) => {
    const copy = join(folder, "store.db")
    for (const part of FILE_SUFFIXES) if (existsSync(file + part)) copyFileSync(file + part, copy + part)
    return copy
  })

const REVISIONS = 201

/** The files of a store of 201 objects, one a revision, while it is open: most of it is in the write-ahead log alone. */
const openFiles = Effect.runSync(
  Effect.cached(
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const store = yield* openProbe({ file })
        for (let n = 1; n <= REVISIONS; n++) yield* store.write(put(`/${n}`, { n, filler: "x".repeat(300) }))
        return FILE_SUFFIXES.map((part) => readFileSync(file + part))
      })
    )
  )
)

/** The same store after its process was killed. */
const copyOfKilledStore = Effect.gen(function* () {
  const [file, parts] = yield* Effect.all([temporaryFile, openFiles])
  for (const [at, part] of FILE_SUFFIXES.entries()) writeFileSync(file + part, parts[at] as Buffer)
  return file
})

const contents = (file: string) =>
  FILE_SUFFIXES.map((part) => (existsSync(file + part) ? readFileSync(file + part) : undefined))

/** Refused, with these words, and nothing of it changed. */
const assertRefused = (file: string, ...hints: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const before = contents(file)
    const error = yield* Effect.flip(Effect.scoped(openProbe({ file })))
    assert.deepInclude(error, { _tag: "StoreFileRefused", reason: "lost" }, error.message)
    for (const hint of [...hints, "--accept-data-loss"]) assert.include(error.message, hint)
    assert.deepStrictEqual(contents(file), before, "the files are as they were")
    return error.message
  })

const sql = (file: string, text: string) => {
  const database = new DatabaseSync(file)
  database.exec(text)
  database.close()
}

const COUNT =
  /ends at revision (\d+) but revision 201 was acknowledged: revisions (\d+) to 201 are missing \((\d+) writes\)/

describe("a store whose write-ahead log has changed", () => {
  it.live("opens after its process was killed", () =>
    Effect.gen(function* () {
      const store = yield* openProbe({ file: yield* copyOfKilledStore })
      const { entries, revision } = yield* store.range("")
      assert.deepStrictEqual([entries.length, revision], [REVISIONS, REVISIONS])
    })
  )

  it.live("is refused when the log was truncated, and reports what is missing", () =>
    Effect.gen(function* () {
      const file = yield* copyOfKilledStore
      truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size / 2))
      const [, last, first, count] = COUNT.exec(yield* assertRefused(file, `${file}-wal is cut`)) ?? []
      assert.isAbove(Number(last), 0)
      assert.deepStrictEqual([Number(first), Number(count)], [Number(last) + 1, REVISIONS - Number(last)])
    })
  )

  it.live("is refused when only the last frame of the log is missing, or a frame is damaged", () =>
    Effect.gen(function* () {
      const cut = yield* copyOfKilledStore
      truncateSync(`${cut}-wal`, statSync(`${cut}-wal`).size - 1)
      yield* assertRefused(cut, "revision 201 was acknowledged")
      const damaged = yield* copyOfKilledStore
      const bytes = readFileSync(`${damaged}-wal`)
      bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 40)
      writeFileSync(`${damaged}-wal`, bytes)
      yield* assertRefused(damaged, "revision 201 was acknowledged")
    })
  )

  it.live("is refused when the log was removed or emptied", () =>
    Effect.gen(function* () {
      const removed = yield* copyOfKilledStore
      rmSync(`${removed}-wal`)
      yield* assertRefused(removed, "revision 201 was acknowledged", `there is no ${removed}-wal`)
      const emptied = yield* copyOfKilledStore
      truncateSync(`${emptied}-wal`, 0)
      yield* assertRefused(emptied, "revision 201 was acknowledged", `${emptied}-wal is empty`)
    })
  )
})

describe("a store whose file has changed", () => {
  it.live("is refused when the file is missing or empty, and its log is kept", () =>
    Effect.gen(function* () {
      const emptied = yield* copyOfKilledStore
      truncateSync(emptied, 0)
      yield* assertRefused(
        emptied,
        `${emptied} is empty but revision 201 was acknowledged: all 201 objects are missing`
      )
      const removed = yield* copyOfKilledStore
      for (const part of ["", "-wal"]) rmSync(removed + part)
      yield* assertRefused(removed, `${removed} is missing`)
      rmSync(`${emptied}-acked`)
      yield* assertRefused(emptied, `${emptied} is empty, and ${emptied}-wal is not`)
    })
  )

  it.live("is refused when it is an older copy, or another store", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const older = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          yield* store.write(put("/a", 1))
          return contents(file)
        })
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          yield* store.write(put("/a", 2))
        })
      )
      const newer = readFileSync(file)
      for (const at of [0, 1]) writeFileSync(file + FILE_SUFFIXES[at], older[at] as Buffer)
      yield* assertRefused(file, "ends at revision 1 but revision 2 was acknowledged", "older copy")
      // A copy of all files, of the same time, is no loss.
      writeFileSync(`${file}-acked`, older[2] as Buffer)
      assert.strictEqual(
        yield* Effect.scoped(Effect.flatMap(openProbe({ file }), (store) => store.write(put("/b", 1)))),
        2
      )
      writeFileSync(file, newer)
      const other = yield* copyOfKilledStore
      yield* Effect.scoped(openProbe({ file: other }))
      copyFileSync(other, file)
      yield* assertRefused(file, `${file}-acked is of another store than ${file}`)
    })
  )

  it.live("is refused when a row is missing or altered", () =>
    Effect.gen(function* () {
      const closed = Effect.gen(function* () {
        const file = yield* copyOfKilledStore
        yield* Effect.scoped(openProbe({ file }))
        return file
      })
      const changed = yield* closed
      sql(changed, `UPDATE changes SET value = '{"n":7}' WHERE sequence = 7`)
      yield* assertRefused(changed, "row 7 (/7) is damaged")
      const missing = yield* closed
      sql(missing, "DELETE FROM changes WHERE sequence = 7")
      yield* assertRefused(missing, "1 rows of the history", "has 200 objects, not the 201 that were acknowledged")
      const first = yield* closed
      sql(first, "DELETE FROM changes WHERE sequence = 1")
      yield* assertRefused(first, "1 rows of the history")
    })
  )
})

describe("the mark beside a store", () => {
  it.live("is refused when it is missing or damaged, and one torn slot is not damage", () =>
    Effect.gen(function* () {
      const file = yield* copyOfKilledStore
      const mark = readFileSync(`${file}-acked`)
      for (const at of [0, 512]) {
        const torn = Buffer.from(mark)
        torn.fill(0, at + 100, at + 120)
        const copy = yield* copyOf(file)
        writeFileSync(`${copy}-acked`, torn)
        yield* Effect.scoped(openProbe({ file: copy }))
      }
      writeFileSync(`${file}-acked`, mark.toString("latin1").replaceAll(":201", ":200"))
      yield* assertRefused(file, `${file}-acked is damaged`)
      rmSync(`${file}-acked`)
      yield* assertRefused(file, `${file}-acked is missing`)
    })
  )

  it.live("may be older: the process was killed after a commit and before its acknowledgement", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          for (let n = 0; n < 20; n++) yield* store.write(put(`/${n % 3}`, n), put(`/x${n}`, n))
          const behind = readFileSync(`${file}-acked`)
          yield* store.write(put("/0", 1), del("/1"), put("/new", 1), del("/x7"))
          yield* store.write(del("/new"), put("/x7", 1))
          const copy = yield* copyOf(file)
          writeFileSync(`${copy}-acked`, behind)
          const again = yield* openProbe({ file: copy })
          assert.deepStrictEqual(yield* again.range(""), yield* store.range(""))
          // From then on the mark covers all writes, including unacknowledged ones.
          yield* again.write(put("/last", 1))
          const later = yield* openProbe({ file: yield* copyOf(copy) })
          assert.deepStrictEqual(yield* later.range(""), yield* again.range(""))
        })
      )
    })
  )

  it.live("is created for a store of the previous version, which opens unchanged", () =>
    Effect.gen(function* () {
      const file = yield* copyOfKilledStore
      yield* Effect.scoped(openProbe({ file }))
      sql(file, "DROP TABLE store; ALTER TABLE changes DROP COLUMN sum; PRAGMA user_version = 1")
      rmSync(`${file}-acked`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          assert.strictEqual((yield* store.range("")).entries.length, REVISIONS)
          yield* store.write(put("/1", "new"))
          const copy = yield* copyOf(file)
          rmSync(`${copy}-wal`)
          yield* assertRefused(copy, "revision 202 was acknowledged")
        })
      )
    })
  )
})

describe("an accepted loss", () => {
  it.live("uses no revision twice, and ends watches from before it with an error", () =>
    Effect.gen(function* () {
      const file = yield* copyOfKilledStore
      truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size / 2))
      const written = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file, acceptLoss: true })
          const { entries, revision } = yield* store.range("")
          assert.isAbove(entries.length, 0)
          assert.isBelow(entries.length, REVISIONS)
          assert.isAbove(revision, REVISIONS + 1)
          for (const from of [1, entries.length, REVISIONS - 1, REVISIONS, revision - 1]) {
            const refused = yield* Effect.flip(store.range("", { revision: from }))
            assert.deepInclude(refused, { _tag: "StoreCompacted", oldest: revision + 1 })
            const watch = yield* store.watch("", from)
            assert.strictEqual((yield* watch.ended)?._tag, "StoreCompacted")
          }
          assert.strictEqual(yield* store.write(put("/1", "new")), revision + 1)
          return yield* store.range("")
        })
      )
      const again = yield* openProbe({ file })
      assert.deepStrictEqual(yield* again.range(""), written)
    })
  )

  it.live("may be of everything, of a row, or of the mark; without a loss the revision does not jump", () =>
    Effect.gen(function* () {
      const revisionOf = (file: string) =>
        Effect.scoped(
          Effect.flatMap(openProbe({ file, acceptLoss: true }), (store) =>
            Effect.map(store.range(""), ({ entries, revision }) => ({ objects: entries.length, revision }))
          )
        )
      const whole = yield* copyOfKilledStore
      assert.deepStrictEqual(yield* revisionOf(whole), { objects: REVISIONS, revision: REVISIONS })
      const row = yield* copyOf(whole)
      sql(row, `UPDATE changes SET value = '{"n":7}' WHERE sequence = 7`)
      const all = yield* copyOfKilledStore
      for (const part of ["", "-wal"]) rmSync(all + part)
      const mark = yield* copyOfKilledStore
      rmSync(`${mark}-acked`)
      const lost = [yield* revisionOf(row), yield* revisionOf(all), yield* revisionOf(mark)]
      assert.deepStrictEqual(
        lost.map(({ objects }) => objects),
        [REVISIONS - 1, 0, REVISIONS]
      )
      for (const { revision } of lost) assert.isAbove(revision, REVISIONS + 1)
      for (const file of [row, all, mark]) yield* Effect.scoped(openProbe({ file }))
    })
  )
})
