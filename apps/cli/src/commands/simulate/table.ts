import { type Command, flag, optional } from "@rollcall/flags"
import { out, reportOutput, seed, set, text } from "../flags.ts"

/** The command line of `rollcall simulate`. */
export const simulateTable = {
  about:
    "Rehearse scenarios in virtual time. Exit: 0 every expectation was met, 1 one failed, 2 wrong input, 70 a bug.",
  operands: {
    usage: "FILE...",
    help: "scenario files, and the manifests that belong to them",
    min: 1
  },
  examples: [
    "simulate examples/zone-outage.yaml",
    "simulate scenario.yaml --set spec.duration=30m -o html --out page.html"
  ],
  flags: {
    seed,
    until: text("stop at this virtual time (default: the scenario's duration)"),
    set,
    output: reportOutput("ndjson for the trace as it happens"),
    out,
    quiet: flag.boolean(false, "print no progress and no warnings on stderr"),
    layers: flag.text("", "a code file (.ts or .mjs) whose default export is an Effect layer of your own services"),
    "allow-layers": flag.boolean(false, "run the code files that a scenario names in spec.layers"),
    "every-heartbeat": flag.boolean(
      false,
      "make an object of every heartbeat, as a live cluster does: slower, with the same result"
    ),
    trace: optional(flag.oneOf(["leases"], "leases", "leases: include every heartbeat in the trace"))
  }
} satisfies Command
