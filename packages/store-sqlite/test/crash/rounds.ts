import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Change, Entry, Revision } from "@rollcall/store"
import { probe, revisionOf, type StoreProbe } from "@rollcall/store/testing/probe"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { openSqliteStore } from "../../src/index.ts"

/** A value of the writer: which batch it is of, and how many puts that has. */
export interface WrittenValue {
  readonly id: string
  readonly puts: number
  readonly filler: string
}

/** A write that the store acknowledged to the writer. */
export interface AcknowledgedWrite {
  readonly revision: Revision
  readonly id: string
  readonly keys: ReadonlyArray<string>
}

export interface CrashReport {
  readonly rounds: number
  readonly acknowledged: number
  /** Writes that are stored, but were not acknowledged before the writer was killed. */
  readonly unheard: number
  readonly revision: Revision
  readonly slowestOpenMs: number
}

const WRITER = fileURLToPath(new URL("./writer.ts", import.meta.url))

const assertTrue = (truth: boolean, what: string): void => {
  if (!truth) throw new Error(what)
}

/** Starts a writer, kills it `afterMs` after its start or its first acknowledged write, and returns its acknowledged writes. */
const runAndKillWriter = (file: string, round: number, history: number, fromStart: boolean, afterMs: number) =>
  Effect.gen(function* () {
    const child = spawn(process.execPath, [WRITER, file, String(round), String(history)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.setEncoding("utf8")
    const ended = new Promise<void>((resolve) => child.stdout.on("close", () => resolve()))
    const told = new Promise<void>((resolve) =>
      child.stdout.on("data", (text: string) => {
        output += text
        resolve()
      })
    )
    if (!fromStart) yield* Effect.promise(() => Promise.race([told, ended]))
    yield* Effect.sleep(afterMs)
    assertTrue(child.exitCode === null, `round ${round}: the writer ended by itself`)
    child.kill("SIGKILL")
    yield* Effect.promise(() => ended)
    return output
      .slice(0, output.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as AcknowledgedWrite)
  })

/** All changes that are kept after this revision, or after the oldest that is kept. */
const historyAfter = (store: StoreProbe, after: Revision) =>
  Effect.gen(function* () {
    const { revision: newest } = yield* store.range("")
    if (newest <= after) return { from: after, changes: [] as ReadonlyArray<Change> }
    const tried = yield* Effect.result(store.range("", { revision: after, limit: 1 }))
    const from =
      tried._tag === "Success" ? after : tried.failure._tag === "StoreCompacted" ? tried.failure.oldest : newest
    if (newest <= from) return { from, changes: [] as ReadonlyArray<Change> }
    const watch = yield* store.watch("", from)
    return { from, changes: yield* watch.until(newest) }
  })

const applyChanges = (state: Map<string, Entry>, changes: ReadonlyArray<Change>): Map<string, Entry> => {
  for (const change of changes) {
    if (change.type === "put") state.set(change.entry.key, change.entry)
    else state.delete(change.key)
  }
  return state
}

const byRevisionOf = (changes: ReadonlyArray<Change>): ReadonlyMap<Revision, ReadonlyArray<Change>> => {
  const batches = new Map<Revision, Array<Change>>()
  for (const change of changes) {
    const batch = batches.get(revisionOf(change))
    if (batch === undefined) batches.set(revisionOf(change), [change])
    else batch.push(change)
  }
  return batches
}

const sortedText = (state: ReadonlyMap<string, Entry>): string =>
  JSON.stringify([...state.values()].sort((left, right) => (left.key < right.key ? -1 : 1)))

/** Revisions without a gap, whole batches, each change on top of the one before it. */
const checkHistory = (changes: ReadonlyArray<Change>, from: Revision, before: ReadonlyMap<string, Entry>): void => {
  const last = new Map(before)
  let revision = from
  for (const [at, batch] of byRevisionOf(changes)) {
    assertTrue(at === revision + 1, `revision ${at} follows ${revision}`)
    revision = at
    const puts = batch.flatMap((change) => (change.type === "put" ? [change.entry] : []))
    for (const { value } of puts) {
      assertTrue(
        (value as WrittenValue).puts === puts.length,
        `revision ${at} has ${puts.length} puts of ${(value as WrittenValue).puts}`
      )
    }
    for (const change of batch) {
      const key = change.type === "put" ? change.entry.key : change.key
      assertTrue(
        change.previous?.modRevision === last.get(key)?.modRevision,
        `revision ${at} superseded something else`
      )
    }
    applyChanges(last, batch)
  }
}

/**
 * Kills a process that writes through the store, so many times, and checks each time that no acknowledged write is lost, that no
 * revision is used twice, and that the history adds up to the present.
 */
export const crashRounds = (folder: string, rounds: number) =>
  Effect.gen(function* () {
    const file = join(folder, "crash.db")
    let known: ReadonlyMap<string, Entry> = new Map()
    let knownAt: Revision = 0
    const report = { rounds, acknowledged: 0, unheard: 0, revision: 0, slowestOpenMs: 0 }
    for (let round = 1; round <= rounds; round++) {
      const fromStart = (yield* Random.nextIntBetween(0, 4)) === 0
      const afterMs = yield* Random.nextIntBetween(0, fromStart ? 400 : 150)
      const historyLimit = round % 3 === 0 ? 1000 : 100_000
      const told = yield* runAndKillWriter(file, round, historyLimit, fromStart, afterMs)

      yield* Effect.scoped(
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const opened = yield* openSqliteStore({ file })
          report.slowestOpenMs = Math.max(report.slowestOpenMs, (yield* Clock.currentTimeMillis) - start)
          const store = probe(opened)
          const now = yield* store.range("")
          assertTrue(now.revision >= knownAt, `round ${round}: revision ${now.revision} after ${knownAt}`)
          const { changes, from } = yield* historyAfter(store, knownAt)
          const then = from === knownAt ? known : byKey((yield* store.range("", { revision: from })).entries)
          checkHistory(changes, from, then)
          const present = byKey(now.entries)
          assertTrue(
            sortedText(applyChanges(new Map(then), changes)) === sortedText(present),
            `round ${round}: history is not the present`
          )

          const batches = byRevisionOf(changes)
          for (const { id, keys, revision } of told) {
            assertTrue(revision > knownAt, `round ${round}: revision ${revision} was used before`)
            assertTrue(revision <= now.revision, `round ${round}: revision ${revision} is lost`)
            if (revision <= from) continue
            const batch = batches.get(revision) ?? []
            const ids = batch.map((change) => (change.type === "put" ? (change.entry.value as WrittenValue).id : id))
            assertTrue(ids.length > 0 && ids.every((one) => one === id), `round ${round}: ${id} at ${revision} is lost`)
            assertTrue(
              batch.every((change) => keys.includes(change.type === "put" ? change.entry.key : change.key)),
              `round ${round}: revision ${revision} changed other keys`
            )
          }
          report.acknowledged += told.length
          report.unheard += now.revision - knownAt - told.length
          report.revision = now.revision
          known = present
          knownAt = now.revision
        })
      )
    }
    return report satisfies CrashReport
  })

const byKey = (entries: ReadonlyArray<Entry>): Map<string, Entry> => new Map(entries.map((entry) => [entry.key, entry]))
