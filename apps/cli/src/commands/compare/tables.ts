import { type Command, flag, required } from "@rollcall/flags"
import { out, output, seed, set } from "../flags.ts"

const MOST_SEEDS = 1000

/** The flags that all comparisons have. */
const common = { seed, set, output, out }

/** The command line of `rollcall compare releases`. */
export const compareReleasesTable = {
  about: "Put the emulated Kubernetes releases side by side, or what one outage comes to under each.",
  operands: {
    usage: "[FILE...]",
    help: "a scenario, and files of Kubernetes objects that belong to it; none: what the releases say"
  },
  examples: ["compare releases", "compare releases scenario.yaml --release 1.31 --release 1.36"],
  flags: {
    release: flag.repeated("a release to compare, repeatable (default: all that are emulated)"),
    ...common
  }
} satisfies Command

/** The command line of `rollcall compare settings`. */
export const compareSettingsTable = {
  about: "Rehearse one outage with each of several values of a setting, and put what they come to side by side.",
  operands: { usage: "FILE...", help: "a scenario, and files of Kubernetes objects that belong to it", least: 1 },
  examples: [
    "compare settings scenario.yaml --vary spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePeriod=20s,50s,2m"
  ],
  flags: {
    vary: required(
      flag.text("", "the setting and its values: spec.path=value,value,…; a value is YAML, without a comma")
    ),
    seeds: flag.integer(1, "rehearse each value with so many seeds, counted from the first, and tell the range", {
      least: 1,
      most: MOST_SEEDS
    }),
    ...common
  }
} satisfies Command
