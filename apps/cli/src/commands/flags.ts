import { flag, optional } from "@rollcall/flags"
import type { ReportFormat } from "@rollcall/report"

/** A text flag whose value is undefined if it is not given. */
export const text = (help: string) => optional(flag.text("", help))

export const out = text("write the result to this file")

export const seed = optional(flag.integer(0, "the seed of the random numbers (default: the scenario's)"))

export const set = flag.repeated("override a field of the scenario: spec.path=value, repeatable")

/** Returns the flag --snapshot, whose help names `command`: a kubectl command that also writes such files. */
export const snapshotFiles = (command: string) =>
  flag.repeated(`a file of the cluster's objects, from rollcall snapshot or ${command}; -: standard input; repeatable`)

/** The flag --output of a plan or a comparison. */
export const output = flag.oneOf(["table", "json"], "table", "table for people, json for programs", { short: "o" })

const formats = ["table", "json", "yaml", "ndjson", "html", "svg"] as const satisfies ReadonlyArray<ReportFormat>

/** Returns the flag --output of a report. `ndjson` is the help text of the ndjson format, which differs between commands. */
export const reportOutput = (ndjson: string) =>
  flag.oneOf(
    formats,
    "table",
    `table for people, html for a page with charts, svg for the charts alone, json or yaml for the whole result, ${ndjson}`,
    { short: "o" }
  )
