import type { Command } from "@rollcall/flags"
import { text } from "../flags.ts"

/** The command line of `rollcall snapshot`. */
export const snapshotTable = {
  about:
    "Take a snapshot of a cluster for rehearsals and plans: every kind that they look at, and no Secrets. Only reads. Exit: 0 taken, " +
    "1 the cluster could not be read, 2 wrong input.",
  examples: ["snapshot --out cluster.ndjson"],
  flags: {
    kubeconfig: text("of the cluster that is taken (default: KUBECONFIG, else ~/.kube/config)"),
    context: text("of the kubeconfig (default: the current one)"),
    out: text("write to this file (default: standard output)")
  }
} satisfies Command
