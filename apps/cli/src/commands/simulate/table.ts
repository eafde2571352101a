import { type Command, flag, optional } from "@rollcall/flags"
import { out, reportOutput, seed, set, text } from "../flags.ts"

/** The command line of `rollcall simulate`. */
export const simulateTable = {
  about: "Rehearse scenarios in virtual time. Exit: 0 every expectation held, 1 one failed, 2 wrong input, 70 a bug.",
  operands: {
    usage: "FILE...",
    help: "scenario files, and files of Kubernetes objects that belong to them",
    least: 1
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
    quiet: flag.boolean(false, "no progress on stderr"),
    layers: flag.text("", "a file of code (.ts or .mjs) whose default export is a layer for ports of your own"),
    "allow-layers": flag.boolean(false, "run the code that spec.layers of a scenario names"),
    trace: optional(flag.oneOf(["leases"], "leases", "leases: put every heartbeat in the trace"))
  }
} satisfies Command
