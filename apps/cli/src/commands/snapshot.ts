import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { text } from "./flags.ts"

const config = {
  kubeconfig: text("kubeconfig", "of the cluster that is taken (default: KUBECONFIG, else ~/.kube/config)"),
  context: text("context", "of the kubeconfig (default: the current one)"),
  out: text("out", "write to this file (default: standard output)")
}

export const snapshotCommand = Command.make("snapshot", config, ({ context, kubeconfig, out }) =>
  Effect.flatMap(
    // A rehearsal needs nothing of it.
    Effect.promise(() => import("./snapshot/run.ts")),
    ({ runSnapshot }) =>
      runSnapshot({
        kubeconfig: Option.getOrElse(kubeconfig, () => ""),
        context: Option.getOrElse(context, () => ""),
        out: Option.getOrUndefined(out)
      })
  )
).pipe(
  Command.withDescription(
    "Take a snapshot of a cluster for rehearsals and plans: every kind that they look at, and no Secrets. Only reads. Exit: 0 taken, " +
      "1 the cluster could not be read, 2 wrong input."
  )
)
