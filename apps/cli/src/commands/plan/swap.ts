import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const text = (name: string, about: string) => Flag.String(name).pipe(Flag.withDescription(about), Flag.optional)

const config = {
  config: Flag.String("config").pipe(Flag.withDescription("the kubelet's configuration file (KubeletConfiguration)")),
  configDir: Flag.String("config-dir").pipe(
    Flag.withDescription("the folder of its drop-ins (*.conf), as the kubelet's --config-dir"),
    Flag.withDefault("")
  ),
  pods: text("pods", "a file of pods, and of their Node, as kubectl get prints them; -: standard input"),
  kubeconfig: text("kubeconfig", "take node and pods of the cluster that this kubeconfig names; only reads"),
  node: text("node", "the node, where there are pods of several"),
  memory: text("memory", "memory of the node (default: status.capacity.memory of the Node)"),
  swap: text("swap", "swap of the node (default: status.nodeInfo.swap.capacity of the Node)"),
  release: text("release", "the Kubernetes release (default: 1.36)"),
  output: Flag.Literals("output", ["table", "json"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("table for a person, json for a program"),
    Flag.withDefault("table" as const)
  )
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
