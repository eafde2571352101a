import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Retention } from "../src/internal/Retention.ts"
import { openProbe, put, temporaryFile } from "./temporary.ts"

const UNLIMITED = Number.POSITIVE_INFINITY

describe("Retention", () => {
  it("keeps the configured number of revisions, and a fraction more", () => {
    const retention = new Retention({ ageMs: UNLIMITED, revisions: 320, size: UNLIMITED }, 0, 0, 0)
    let floor = 0
    for (let revision = 1; revision <= 5000; revision++) {
      retention.record(revision, 1, 0)
      floor = retention.compactBefore(revision, 0) ?? floor
      assert.isAtMost(revision - floor, 330)
      if (revision > 320) assert.isAtLeast(revision - floor, 320)
    }
  })

  it("counts written revisions", () => {
    const retention = new Retention({ ageMs: UNLIMITED, revisions: UNLIMITED, size: 3200 }, 0, 0, 0)
    retention.record(1, 100, 0)
    retention.record(2, 3099, 0)
    assert.strictEqual(retention.compactBefore(2, 0), undefined)
    retention.record(3, 1, 0)
    assert.strictEqual(retention.compactBefore(3, 0), 0)
    retention.record(4, 100, 0)
    assert.strictEqual(retention.compactBefore(4, 0), 1)
  })

  it("forgets history at its maximum age, and not a millisecond before", () => {
    const retention = new Retention({ ageMs: 320, revisions: UNLIMITED, size: UNLIMITED }, 0, 0, 1000)
    retention.record(7, 1, 1010)
    assert.strictEqual(retention.compactBefore(7, 1319), undefined)
    assert.strictEqual(retention.compactBefore(7, 1329), 0)
    assert.strictEqual(retention.compactBefore(7, 1330), 7)
  })
})

describe("compaction", () => {
  const rowsIn = (file: string) => {
    const database = new DatabaseSync(file)
    const rows = Number(database.prepare("SELECT count(*) AS rows FROM changes").get()?.rows)
    database.close()
    return rows
  }

  it.live("limits the size of the file while writes continue", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const present = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file, historyRevisions: 320, recentRevisions: 16 })
          yield* Effect.forEach(
            Array.from({ length: 4000 }, (_, n) => n),
            (n) => store.write(put(`/${n % 50}`, n)),
            { concurrency: 20 }
          )
          const refused = yield* Effect.flip(store.range("", { revision: 1 }))
          assert.strictEqual(refused._tag, "StoreCompacted")
          const kept = yield* store.range("", { revision: 4000 - 300 })
          assert.strictEqual(kept.entries.length, 50)
          return yield* store.range("")
        })
      )
      assert.isBelow(rowsIn(file), 50 + 320 + 200)
      const again = yield* openProbe({ file })
      assert.deepStrictEqual(yield* again.range(""), present)
    })
  )
})
