import { schedulerSettings } from "@rollcall/control-plane"
import { clientFlags, commonFlags, ignoredEverywhere, layersFlag, leaderFlags, servingFlags } from "../flags/common.ts"
import { type Flags, flag } from "../flags/Flag.ts"
import { gatesFlag } from "../flags/featureGates.ts"
import type { Program } from "../flags/parseFlags.ts"
import { settingFlags } from "../flags/settingFlags.ts"

/** The command line of kube-scheduler. */
export const schedulerProgram = {
  name: "kube-scheduler",
  about: "Places pods on nodes.",
  flags: {
    ...clientFlags,
    config: flag.text("", "a KubeSchedulerConfiguration file; flags count more"),
    ...settingFlags(schedulerSettings),
    "feature-gates": gatesFlag,
    ...leaderFlags("kube-scheduler"),
    ...servingFlags(10_259),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, "pod-max-in-unschedulable-pods-duration", "write-config-to"]
} satisfies Program<Flags>
