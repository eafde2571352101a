import type { Command } from "@rollcall/flags"
import { reportOutput, text } from "../flags.ts"

/** The command line of `rollcall report`. */
export const reportTable = {
  about: "Print a report of saved results. Exit: 0 written, 2 wrong input.",
  operands: {
    usage: "FILE...",
    help: "results of rollcall simulate -o json (or yaml), comparisons of rollcall compare -o json; -: standard input",
    min: 1
  },
  examples: ["report result.json -o html --out page.html"],
  flags: { output: reportOutput("ndjson for the trace"), out: text("write the report to this file") }
} satisfies Command
