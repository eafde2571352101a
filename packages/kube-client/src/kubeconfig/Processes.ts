import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"

/** The identity of a process; it distinguishes a process from a later one with the same pid. */
export const ProcessIdentity = Schema.Struct({
  /** The name of its machine: pids of other machines mean nothing here. */
  host: Schema.String,
  process: Schema.Int,
  /** The start time in the system's own unit; empty if it is not known. */
  started: Schema.String
})
export interface ProcessIdentity extends Schema.Schema.Type<typeof ProcessIdentity> {}

/** The current process, and a check for others. */
export interface Processes {
  readonly self: ProcessIdentity
  /** Whether the process runs. A process of another machine is assumed to run, since it cannot be checked. */
  readonly isRunning: (other: ProcessIdentity) => boolean
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/**
 * The start time is the 22nd field, in clock ticks since boot. The second field, the program's name, may contain spaces
 * and parentheses. Source: proc(5).
 */
const START_FIELD = 22 - 3

/** Returns the start time; without /proc it is empty, and the pid alone identifies the process. */
const startTimeOf = (process: number): string => {
  const stat = textOf(`/proc/${process}/stat`)
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD]
  return ticks === undefined ? "" : `${textOf("/proc/sys/kernel/random/boot_id").trim()}/${ticks}`
}

/** Whether a process exists. Signal 0 only checks that; EPERM means that the process belongs to another user. */
const exists = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.host === other.host && one.process === other.process && one.started === other.started

/** The processes of a machine, seen from one of them. */
export const processesOf = (host: string, self: number): Processes => ({
  self: { host, process: self, started: startTimeOf(self) },
  isRunning: (other) => {
    if (other.host !== host) return true
    if (other.process <= 0 || !exists(other.process)) return false
    return other.started === "" || startTimeOf(other.process) === other.started
  }
})
