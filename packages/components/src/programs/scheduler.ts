import { schedulerSettings } from "@rollcall/control-plane"
import { flag } from "@rollcall/flags"
import { settingFlags } from "@rollcall/flags/settings"
import {
  clientFlags,
  commonFlags,
  ignoredEverywhere,
  ignoredProxyFlags,
  layersFlag,
  leaderFlags,
  servingFlags
} from "../flags/common.ts"
import { gatesFlag } from "../flags/gatesFlag.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"

/** The command line of kube-scheduler. */
export const schedulerProgram = {
  name: "kube-scheduler",
  about: "Assign pods to nodes.",
  flags: {
    ...clientFlags,
    config: flag.text("", "a KubeSchedulerConfiguration file; flags override it"),
    ...settingFlags(schedulerSettings),
    "feature-gates": gatesFlag,
    ...leaderFlags("kube-scheduler"),
    ...servingFlags(10_259),
    ...layersFlag,
    ...commonFlags
  },
  ignored: [...ignoredEverywhere, ...ignoredProxyFlags, "pod-max-in-unschedulable-pods-duration", "write-config-to"],
  ...componentGrammar
} satisfies Program
