import { type Command, flag, required } from "@rollcall/flags"
import { out, output, seed, set } from "../flags.ts"

/** The most seeds of one comparison: each seed is a whole rehearsal for each value. */
const MAX_SEEDS = 1000

/** The most rehearsals at a time: each has a thread. */
const MAX_PARALLEL = 256

/** The flags that all comparisons have. */
const sharedFlags = {
  seed,
  set,
  output,
  out,
  parallel: flag.integer(0, "the number of rehearsals at a time; 0: one for each processor. The result is the same", {
    min: 0,
    max: MAX_PARALLEL
  })
}

/** The command line of `rollcall compare releases`. */
export const compareReleasesTable = {
  about: "Compare the emulated Kubernetes releases, or the results of one outage under each of them.",
  operands: {
    usage: "[FILE...]",
    help: "a scenario and the manifests that belong to it (default: none, compare only the releases' settings)"
  },
  examples: ["compare releases", "compare releases scenario.yaml --release 1.31 --release 1.36"],
  flags: {
    release: flag.repeated("a release to compare, repeatable (default: all emulated releases)"),
    ...sharedFlags
  }
} satisfies Command

/** The command line of `rollcall compare settings`. */
export const compareSettingsTable = {
  about: "Rehearse one outage with each of several values of a setting, and compare the results.",
  operands: { usage: "FILE...", help: "a scenario and the manifests that belong to it", min: 1 },
  examples: [
    "compare settings scenario.yaml --vary spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod=20s,50s,2m"
  ],
  flags: {
    vary: required(
      flag.text("", "the setting and its values: spec.path=value,value,…; each value is YAML without commas")
    ),
    seeds: flag.integer(1, "the number of consecutive seeds to rehearse each value with; the result has the range", {
      min: 1,
      max: MAX_SEEDS
    }),
    ...sharedFlags
  }
} satisfies Command
