import { closeSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { makeFolder, readRegularText } from "@rollcall/files"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { isSameProcess, type Processes, ProcessIdentity } from "./Processes.ts"
import { fileProblem } from "./problems.ts"
import { linkTarget } from "./replaceFile.ts"

/** kubectl holds a lock for milliseconds. */
const BETWEEN = "50 millis"
const TRIES = 100
/** What a process says of itself is a line. */
const MAX_LOCK_BYTES = 64 << 10

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))

const errorCode = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code

/** Who holds a lock, if that is a process of Rollcall: kubectl's locks are empty and may not be read. */
const holderOf = (lock: string): ProcessIdentity | undefined => {
  try {
    return Option.getOrUndefined(decode(readRegularText(lock, MAX_LOCK_BYTES)))
  } catch {
    return undefined
  }
}

/** Takes away a lock whose holder was killed; not that of a process that has taken it away and locked anew meanwhile. */
const breakStale = (lock: string, processes: Processes): void => {
  const holder = holderOf(lock)
  if (holder === undefined || processes.isRunning(holder)) return
  const aside = `${lock}.${processes.self.process}`
  renameSync(lock, aside)
  const moved = holderOf(aside)
  if (moved === undefined || !isSameProcess(moved, holder)) linkSync(aside, lock)
  rmSync(aside, { force: true })
}

/** True: the lock is held from now on. */
const tryLock = (lock: string, processes: Processes): boolean => {
  try {
    const handle = openSync(lock, "wx", 0o600)
    try {
      writeFileSync(handle, JSON.stringify(processes.self))
    } finally {
      closeSync(handle)
    }
    return true
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause
    try {
      breakStale(lock, processes)
    } catch (failed) {
      // Another process was quicker, or may what this one may not: the next try tells.
      if (!["ENOENT", "EEXIST"].includes(errorCode(failed) ?? "")) throw failed
    }
    return false
  }
}

/** The lock is held by another program. */
class Locked extends Schema.TaggedError<Locked>()("Locked", {}) {}

const acquire = (file: string, lock: string, processes: Processes): Effect.Effect<string, InvalidInput> =>
  Effect.try({ try: () => tryLock(lock, processes), catch: (cause) => fileProblem(file, cause) }).pipe(
    Effect.flatMap((isHeld) => (isHeld ? Effect.succeed(lock) : Effect.fail(new Locked()))),
    Effect.retry({
      schedule: Schedule.spaced(BETWEEN),
      times: TRIES,
      while: (error) => error instanceof Locked
    }),
    Effect.catchTag("Locked", () =>
      Effect.fail(invalid(file, "", `is locked by another program; if none is running, remove ${lock}`))
    )
  )

/** A folder that a link leads to is not made: what it was to be is not known. */
const locksOf = (file: string): ReadonlyArray<string> => {
  makeFolder(dirname(resolve(file)), 0o700)
  return [...new Set([resolve(file), linkTarget(file)])].map((path) => `${path}.lock`)
}

/**
 * Does something while other writers of a file wait: they hold `<file>.lock` while they read and write it. kubectl's lock is beside
 * the name that it was given, which may be a symbolic link; the other is beside the file. Upstream: clientcmd/loader.go lockFile.
 */
export const whileLocked = <A, E>(
  file: string,
  processes: Processes,
  act: Effect.Effect<A, E>
): Effect.Effect<A, E | InvalidInput> =>
  Effect.try({ try: () => locksOf(file), catch: (cause) => fileProblem(file, cause) }).pipe(
    Effect.flatMap((locks) =>
      locks.reduceRight<Effect.Effect<A, E | InvalidInput>>(
        (inner, lock) =>
          Effect.acquireUseRelease(
            acquire(file, lock, processes),
            () => inner,
            (held) => Effect.sync(() => rmSync(held, { force: true }))
          ),
        act
      )
    )
  )
