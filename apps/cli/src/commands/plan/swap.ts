import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { kubeletPlanFlags, text } from "../flags.ts"

const config = {
  ...kubeletPlanFlags,
  pods: text("pods", "a file of pods, and of their Node, as kubectl get prints them; -: standard input"),
  kubeconfig: text("kubeconfig", "take node and pods of the cluster that this kubeconfig names; only reads"),
  memory: text("memory", "memory of the node (default: status.capacity.memory of the Node)"),
  swap: text("swap", "swap of the node (default: status.nodeInfo.swap.capacity of the Node)")
}

export const planSwapCommand = Command.make("swap", config, ({ config, configDir, output, ...given }) =>
  Effect.flatMap(
    // A rehearsal needs nothing of it.
    Effect.promise(() => import("./planSwap.ts")),
    ({ runPlanSwap }) =>
      runPlanSwap({
        config,
        configDir,
        output,
        kubeconfig: Option.getOrUndefined(given.kubeconfig),
        memory: Option.getOrUndefined(given.memory),
        node: Option.getOrUndefined(given.node),
        pods: Option.getOrUndefined(given.pods),
        release: Option.getOrUndefined(given.release),
        swap: Option.getOrUndefined(given.swap)
      })
  )
).pipe(
  Command.withDescription(
    "What each container of a node may swap under a kubelet's configuration. Exit: 0 planned, 1 the cluster could not be " +
      "read, 2 wrong input, or a configuration with which a kubelet does not start on a machine with swap."
  )
)
