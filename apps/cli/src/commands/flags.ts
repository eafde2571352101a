import { flag, optional } from "@rollcall/flags"
import type { ReportFormat } from "@rollcall/report"

/** A flag that may be left out. */
export const text = (name: string) => optional(flag.text("", name))

export const out = text("write the result to this file")

export const seed = optional(flag.integer(0, "the seed of the random numbers (default: the scenario's)"))

export const set = flag.repeated("override a field of the scenario: spec.path=value, repeatable")

export const snapshotFiles = (written: string) =>
  flag.repeated(`a file of the cluster's objects, from rollcall snapshot or ${written}; -: standard input; repeatable`)

/** --output of what a person or a program reads. */
export const output = flag.oneOf(["table", "json"], "table", "table for people, json for programs", { short: "o" })

const formats = ["table", "json", "yaml", "ndjson", "html"] as const satisfies ReadonlyArray<ReportFormat>

/** --output of a report; `ndjson`: what is said of that form. */
export const reportOutput = (ndjson: string) =>
  flag.oneOf(
    formats,
    "table",
    `table for people, html for a page with charts, json or yaml for the whole result, ${ndjson}`,
    { short: "o" }
  )
