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

/** The pause between tries: kubectl holds a lock for milliseconds. */
const RETRY_PAUSE = "50 millis"
const MAX_RETRIES = 100
/** The limit of a lock file: its content is one line. */
const MAX_LOCK_BYTES = 64 << 10

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))

const errorCode = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code

/** Returns the holder of a lock, if it is a process of Rollcall: kubectl's locks are empty and may be unreadable. */
const readHolder = (lock: string): ProcessIdentity | undefined => {
  try {
    return Option.getOrUndefined(decode(readRegularText(lock, MAX_LOCK_BYTES)))
  } catch {
    return undefined
  }
}

/** Removes a lock whose holder was killed, unless another process has removed it and locked again meanwhile. */
const removeStaleLock = (lock: string, processes: Processes): void => {
  const holder = readHolder(lock)
  if (holder === undefined || processes.isRunning(holder)) return
  const aside = `${lock}.${processes.self.process}`
  renameSync(lock, aside)
  const moved = readHolder(aside)
  if (moved === undefined || !isSameProcess(moved, holder)) linkSync(aside, lock)
  rmSync(aside, { force: true })
}

/** Returns true when the lock was acquired. */
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
      removeStaleLock(lock, processes)
    } catch (failed) {
      // Another process acquired it first, or has permissions that this one lacks: the next try decides.
      if (!["ENOENT", "EEXIST"].includes(errorCode(failed) ?? "")) throw failed
    }
    return false
  }
}

/** The error of a lock that another program holds. */
class LockedByOther extends Schema.TaggedError<LockedByOther>()("Locked", {}) {}

const acquire = (file: string, lock: string, processes: Processes): Effect.Effect<string, InvalidInput> =>
  Effect.try({ try: () => tryLock(lock, processes), catch: (cause) => fileProblem(file, cause) }).pipe(
    Effect.flatMap((isHeld) => (isHeld ? Effect.succeed(lock) : Effect.fail(new LockedByOther()))),
    Effect.retry({
      schedule: Schedule.spaced(RETRY_PAUSE),
      times: MAX_RETRIES,
      while: (error) => error instanceof LockedByOther
    }),
    Effect.catchTag("Locked", () =>
      Effect.fail(invalid(file, "", `is locked by another program; if none is running, remove ${lock}`))
    )
  )

/**
 * Makes the folder of the file; the missing target folder of a link is not made, because its intended mode is unknown.
 */
const locksOf = (file: string): ReadonlyArray<string> => {
  makeFolder(dirname(resolve(file)), 0o700)
  return [...new Set([resolve(file), linkTarget(file)])].map((path) => `${path}.lock`)
}

/**
 * Runs `act` while other writers of a file wait: each holds `<file>.lock` while it reads and writes. kubectl puts its
 * lock beside the path that it was given, which may be a symbolic link; the second lock is beside the link's target.
 * Upstream: clientcmd/loader.go lockFile.
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
