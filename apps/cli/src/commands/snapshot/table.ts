import type { Command } from "@rollcall/flags"
import { text } from "../flags.ts"

/** The command line of `rollcall snapshot`. */
export const snapshotTable = {
  about:
    "Take a snapshot of a cluster for rehearsals and plans: all kinds that they use, and no Secrets. Read-only. Exit: 0 taken, " +
    "1 the cluster could not be read, 2 wrong input.",
  examples: ["snapshot --out cluster.ndjson"],
  flags: {
    kubeconfig: text("the kubeconfig of the cluster (default: KUBECONFIG, else ~/.kube/config)"),
    context: text("the context of the kubeconfig (default: the current context)"),
    out: text("write to this file (default: standard output)")
  }
} satisfies Command
