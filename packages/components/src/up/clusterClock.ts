import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The file that relates a cluster's time to the machine's clock, if they differ. */
const CLOCK_FILE = "clock.json"
/** The files that an API server writes on every change. */
const writtenFiles = ["store.sqlite", "store.sqlite-wal", CLOCK_FILE]

/**
 * The machine's and the cluster's clock at one time, in milliseconds since the Unix epoch, and the speed of the
 * cluster's.
 */
const ClockNote = Schema.Struct({ wallMs: Schema.Finite, clusterMs: Schema.Finite, speed: Schema.Finite })
export interface ClockNote extends Schema.Schema.Type<typeof ClockNote> {}

const decodeNote = Schema.decodeUnknownResult(Schema.fromJsonString(ClockNote))

/**
 * Returns the start time of a restarted cluster that was stopped at `stoppedMs` of the machine's clock: never before
 * its end. A faster cluster is ahead of the machine, and its faults, Events and tolerations would last longer than they
 * should if its time went back.
 */
export const resumedMs = (note: ClockNote | undefined, stoppedMs: number, wallMs: number): number => {
  if (note === undefined) return wallMs
  const aheadMs = note.clusterMs - note.wallMs + Math.max(0, stoppedMs - note.wallMs) * (note.speed - 1)
  return aheadMs <= 0 ? wallMs : Math.max(wallMs, Math.max(stoppedMs, note.wallMs) + aheadMs)
}

const readNote = (folder: string): ClockNote | undefined => {
  try {
    return Result.getOrUndefined(decodeNote(readFileSync(join(folder, CLOCK_FILE), "utf8")))
  } catch {
    // No file: the cluster is new, or uses the machine's clock.
    return undefined
  }
}

const lastWriteMs = (folder: string): number =>
  writtenFiles.reduce(
    (latest, name) => Math.max(latest, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
    0
  )

/**
 * Returns the start time of the cluster in a folder, in milliseconds since the Unix epoch; that of the machine for a
 * new cluster, which has an empty name.
 */
export const clusterStart = (dataDir: string, wallMs: number): number => {
  if (dataDir === "") return wallMs
  const folder = resolve(dataDir)
  return resumedMs(readNote(folder), lastWriteMs(folder), wallMs)
}

const writeNote = (folder: string, note: ClockNote): void => {
  const file = join(folder, CLOCK_FILE)
  if (note.speed === 1 && note.clusterMs - note.wallMs < 1000) {
    rmSync(file, { force: true })
    return
  }
  writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Writes the relation of the clocks; a cluster that uses the machine's clock needs no file. */
export const writeClockNote = (folder: string, note: ClockNote): Effect.Effect<void> =>
  Effect.try({
    try: () => writeNote(folder, note),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  }).pipe(
    Effect.catch((err) =>
      Effect.logWarning("Cannot note the cluster's clock: after a restart its time may go back").pipe(
        Effect.annotateLogs({ folder, err })
      )
    )
  )
