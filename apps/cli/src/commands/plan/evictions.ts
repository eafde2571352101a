import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { output, text } from "../flags.ts"

const number = (name: string, about: string) => Flag.Finite(name).pipe(Flag.withDescription(about), Flag.optional)

const config = {
  names: Argument.String("NODE").pipe(
    Argument.withDescription("only these nodes (default: all unhealthy ones)"),
    Argument.atLeast(0)
  ),
  snapshot: Flag.String("snapshot").pipe(
    Flag.withDescription(
      "a file of the cluster's objects, as rollcall snapshot or kubectl get nodes,leases,pods -A -o json writes them; -: standard input; repeatable"
    ),
    Flag.atLeast(0)
  ),
  asOf: text(
    "as-of",
    "when the snapshot was taken, as 2026-01-02T15:04:05Z (default: what it says itself, or the last thing that happened in it)"
  ),
  kubeconfig: text("kubeconfig", "take the cluster that this kubeconfig names; only reads"),
  nodeMonitorPeriod: text("node-monitor-period", "as kube-controller-manager has it (default: 5s)"),
  nodeMonitorGracePeriod: text("node-monitor-grace-period", "the same (default: the release's, 50s in 1.36)"),
  nodeEvictionRate: number("node-eviction-rate", "the same, in nodes per second (default: 0.1)"),
  secondaryNodeEvictionRate: number("secondary-node-eviction-rate", "the same (default: 0.01)"),
  unhealthyZoneThreshold: number("unhealthy-zone-threshold", "the same (default: 0.55)"),
  largeClusterSizeThreshold: Flag.Int("large-cluster-size-threshold").pipe(
    Flag.withDescription("the same (default: 50)"),
    Flag.optional
  ),
  release: text("release", "the Kubernetes release (default: 1.36)"),
  output
}

export const planEvictionsCommand = Command.make(
  "evictions",
  config,
  ({ asOf, kubeconfig, names, output, release, snapshot, ...settings }) =>
    Effect.flatMap(
      // A rehearsal needs nothing of it.
      Effect.promise(() => import("./evictionsRun.ts")),
      ({ runPlanEvictions }) =>
        runPlanEvictions({
          names,
          output,
          snapshot,
          asOf: Option.getOrUndefined(asOf),
          kubeconfig: Option.getOrUndefined(kubeconfig),
          release: Option.getOrUndefined(release),
          nodeMonitorPeriod: Option.getOrUndefined(settings.nodeMonitorPeriod),
          nodeMonitorGracePeriod: Option.getOrUndefined(settings.nodeMonitorGracePeriod),
          nodeEvictionRate: Option.getOrUndefined(settings.nodeEvictionRate),
          secondaryNodeEvictionRate: Option.getOrUndefined(settings.secondaryNodeEvictionRate),
          unhealthyZoneThreshold: Option.getOrUndefined(settings.unhealthyZoneThreshold),
          largeClusterSizeThreshold: Option.getOrUndefined(settings.largeClusterSizeThreshold)
        })
    )
).pipe(
  Command.withDescription(
    "What will be evicted next because of its node, when, and why not yet. Exit: 0 answered, 1 the cluster could not be read, 2 " +
      "wrong input."
  )
)
