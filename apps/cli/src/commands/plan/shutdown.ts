import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { kubeletPlanFlags, text } from "../flags.ts"

const config = {
  ...kubeletPlanFlags,
  pods: text("pods", "a file of pods, as kubectl get pods -o json or yaml prints them; -: standard input"),
  kubeconfig: text("kubeconfig", "take the pods of the cluster that this kubeconfig names; only reads"),
  inhibitDelay: Flag.Int("inhibit-delay-max-sec").pipe(
    Flag.withDescription("InhibitDelayMaxSec of the node's logind (default: 5, its own)"),
    Flag.withDefault(5)
  )
}

export const planShutdownCommand = Command.make("shutdown", config, ({ kubeconfig, node, pods, release, ...given }) =>
  Effect.flatMap(
    // A rehearsal needs nothing of it.
    Effect.promise(() => import("./planShutdown.ts")),
    ({ runPlanShutdown }) =>
      runPlanShutdown({
        ...given,
        kubeconfig: Option.getOrUndefined(kubeconfig),
        node: Option.getOrUndefined(node),
        pods: Option.getOrUndefined(pods),
        release: Option.getOrUndefined(release)
      })
  )
).pipe(
  Command.withDescription(
    "What a shutdown of a node will do to its pods, phase by phase, and what will surprise. Exit: 0 planned, 1 the cluster " +
      "could not be read, 2 wrong input, or a configuration that a kubelet refuses."
  )
)
