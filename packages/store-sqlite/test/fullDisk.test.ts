import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { StoreProbe } from "@rollcall/store/testing/probe"
import * as Effect from "effect/Effect"
import { openProbe, put, temporaryFile, temporaryFolder } from "./temporary.ts"

const VALUE = "x".repeat(3000)

/** Writes, eight at a time, until a write fails; answers how many succeeded, and the failure. */
const writeUntilFull = (store: StoreProbe) =>
  Effect.gen(function* () {
    for (let round = 0; round < 1000; round++) {
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, writer) => writer),
        (writer) => Effect.result(store.write(put(`/${writer}`, `${round}${VALUE}`))),
        { concurrency: "unbounded" }
      )
      const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      const [failure] = failures
      if (failure !== undefined) return { failure, failures: failures.length, round }
    }
    return yield* Effect.die(new Error("the disk is never full"))
  })

/** What holds while the disk is full: a clear answer, nothing of the group applied, reads of the present and of the past. */
const whileFull = (store: StoreProbe) =>
  Effect.gen(function* () {
    const { failure, round } = yield* writeUntilFull(store)
    assert.strictEqual(failure._tag, "StoreFailure")
    assert.include(failure.message, "database or disk is full")
    const { entries, revision } = yield* store.range("")
    assert.strictEqual(entries.length, 8)
    assert.deepStrictEqual(
      entries.filter(({ value }) => ![`${round}${VALUE}`, `${round - 1}${VALUE}`].includes(String(value))),
      []
    )
    assert.strictEqual(Math.max(...entries.map(({ modRevision }) => modRevision)), revision)
    assert.strictEqual((yield* store.range("", { revision: 8 })).entries[0]?.value, `0${VALUE}`)
    return yield* store.range("")
  })

describe("a full disk", () => {
  it.live("fails only writes, until there is space", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const full = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file, maxPages: 100, recentRevisions: 2 })
          return yield* whileFull(store)
        })
      )
      const store = yield* openProbe({ file, recentRevisions: 2 })
      assert.deepStrictEqual(yield* store.range(""), full)
      assert.strictEqual(yield* store.write(put("/0", 1)), full.revision + 1)
    })
  )

  it.live("has space again once history is compacted", () =>
    Effect.gen(function* () {
      const store = yield* openProbe({ file: yield* temporaryFile, maxPages: 100 })
      const { revision } = yield* whileFull(store)
      yield* store.compact(revision)
      const wrote = yield* store.write(put("/0", VALUE)).pipe(Effect.retry({ times: 100 }))
      assert.strictEqual(wrote, revision + 1)
    })
  )

  it.live("of a separate file system (as root only)", (context) =>
    Effect.gen(function* () {
      const mount = join(yield* temporaryFolder, "mount")
      mkdirSync(mount)
      const mounted = yield* Effect.acquireRelease(
        Effect.sync(() => {
          try {
            execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", mount], { stdio: "ignore" })
            return true
          } catch {
            return false
          }
        }),
        (done) => Effect.sync(() => done && execFileSync("umount", [mount]))
      )
      if (!mounted) return context.skip("nothing can be mounted here")
      const ballast = join(mount, "ballast")
      writeFileSync(ballast, Buffer.alloc(1 << 20))
      const file = join(mount, "store.db")
      const after = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openProbe({ file })
          const full = yield* whileFull(store)
          rmSync(ballast)
          assert.strictEqual(yield* store.write(put("/0", 1)), full.revision + 1)
          return yield* store.range("")
        })
      )
      const again = yield* openProbe({ file })
      assert.deepStrictEqual(yield* again.range(""), after)
      assert.strictEqual((yield* again.range("", { revision: 8 })).entries[0]?.value, `0${VALUE}`)
    })
  )
})
