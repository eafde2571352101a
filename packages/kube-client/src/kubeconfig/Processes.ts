import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"

/** A process, so that it is told from a later one of the same number. */
export const ProcessIdentity = Schema.Struct({
  /** The name of its machine: numbers of other machines' processes say nothing here. */
  host: Schema.String,
  process: Schema.Int,
  /** When it was started, in whatever unit the system has; empty: not known. */
  started: Schema.String
})
export interface ProcessIdentity extends Schema.Schema.Type<typeof ProcessIdentity> {}

/** This process, and what it can find out about others. */
export interface Processes {
  readonly self: ProcessIdentity
  /** A process of another machine is taken to run: nothing is known of it. */
  readonly isRunning: (other: ProcessIdentity) => boolean
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** The 22nd field, in clock ticks since boot. The second, the program's name, may have spaces and brackets in it. Source: proc(5). */
const START_FIELD = 22 - 3

/** Where there is no /proc, the number of a process has to do. */
const startOf = (process: number): string => {
  const stat = textOf(`/proc/${process}/stat`)
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD]
  return ticks === undefined ? "" : `${textOf("/proc/sys/kernel/random/boot_id").trim()}/${ticks}`
}

/** Signal 0 asks only; a process of another user answers that it may not be signalled. */
const isThere = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.host === other.host && one.process === other.process && one.started === other.started

/** The processes of a machine, as one of them sees them. */
export const processesOf = (host: string, self: number): Processes => ({
  self: { host, process: self, started: startOf(self) },
  isRunning: (other) => {
    if (other.host !== host) return true
    if (other.process <= 0 || !isThere(other.process)) return false
    return other.started === "" || startOf(other.process) === other.started
  }
})
