import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { output, text } from "../flags.ts"

const isOn = (name: string, about: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(about), Flag.withDefault(false))

const config = {
  names: Argument.String("NODE").pipe(
    Argument.withDescription("the nodes, in the order in which they are drained"),
    Argument.atLeast(0)
  ),
  snapshot: Flag.String("snapshot").pipe(
    Flag.withDescription(
      "a file of the cluster's objects, as rollcall snapshot or kubectl get … -A -o json writes them; -: standard input; repeatable"
    ),
    Flag.atLeast(0)
  ),
  kubeconfig: text("kubeconfig", "take the cluster that this kubeconfig names; only reads"),
  selector: Flag.String("selector").pipe(
    Flag.withAlias("l"),
    Flag.withDescription("the nodes with these labels, instead of names"),
    Flag.optional
  ),
  podSelector: text("pod-selector", "only pods with these labels"),
  force: isOn("force", "also pods that nobody creates anew"),
  ignoreDaemonsets: isOn("ignore-daemonsets", "leave the pods of DaemonSets where they are"),
  deleteEmptydirData: isOn("delete-emptydir-data", "also pods with emptyDir volumes, whose data goes"),
  disableEviction: isOn("disable-eviction", "delete, past all budgets"),
  gracePeriod: Flag.Int("grace-period").pipe(
    Flag.withDescription("seconds for each pod instead of its own; negative: its own"),
    Flag.withDefault(-1)
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withDescription("how long to wait at each node, as 90s or 5m (default: without end)"),
    Flag.withDefault("0s")
  ),
  skipWait: Flag.Int("skip-wait-for-delete-timeout").pipe(
    Flag.withDescription("do not wait for pods that have been terminating for more than so many seconds"),
    Flag.withDefault(0)
  ),
  output
}

export const planDrainCommand = Command.make("drain", config, ({ kubeconfig, podSelector, selector, ...given }) =>
  Effect.flatMap(
    // A rehearsal needs nothing of it.
    Effect.promise(() => import("./drainRun.ts")),
    ({ runPlanDrain }) =>
      runPlanDrain({
        ...given,
        kubeconfig: Option.getOrUndefined(kubeconfig),
        podSelector: Option.getOrUndefined(podSelector),
        selector: Option.getOrUndefined(selector)
      })
  )
).pipe(
  Command.withDescription(
    "What kubectl drain will do to nodes: which pods go and when, what blocks and why, where they land. Exit: 0 planned, 1 " +
      "something blocks, or the cluster could not be read, 2 wrong input."
  )
)
