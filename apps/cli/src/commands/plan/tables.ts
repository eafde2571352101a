import { type Command, flag, optional, required } from "@rollcall/flags"
import { output, snapshotFiles, text } from "../flags.ts"

/** Flags of the plans that go by what a kubelet is configured to do. */
const kubelet = {
  config: required(flag.text("", "the kubelet's configuration file (KubeletConfiguration)")),
  "config-dir": flag.text("", "the folder of its drop-ins (*.conf), as the kubelet's --config-dir"),
  node: text("the node, where there are pods of several"),
  release: text("the Kubernetes release (default: 1.36)"),
  output
}

/** The command line of `rollcall plan drain`. */
export const planDrainTable = {
  about:
    "What kubectl drain will do to nodes: which pods go and when, what blocks and why, where they land. Exit: 0 planned, 1 " +
    "something blocks, or the cluster could not be read, 2 wrong input.",
  operands: { usage: "[NODE...]", help: "the nodes, in the order in which they are drained" },
  examples: [
    "plan drain n1 --snapshot cluster.json --ignore-daemonsets",
    "plan drain -l pool=old --kubeconfig ~/.kube/config"
  ],
  flags: {
    snapshot: snapshotFiles("kubectl get … -A -o json"),
    kubeconfig: text("take the cluster that this kubeconfig names; only reads"),
    selector: optional(flag.text("", "the nodes with these labels, instead of names", { short: "l" })),
    "pod-selector": text("only pods with these labels"),
    force: flag.boolean(false, "also pods that no controller replaces"),
    "ignore-daemonsets": flag.boolean(false, "leave the pods of DaemonSets where they are"),
    "delete-emptydir-data": flag.boolean(false, "also pods with emptyDir volumes, whose data is lost"),
    "disable-eviction": flag.boolean(false, "delete the pods instead of evicting them, ignoring budgets"),
    "grace-period": flag.integer(-1, "seconds for each pod instead of its own; negative: its own"),
    timeout: flag.text("0s", "how long to wait at each node, as 90s or 5m (default: no limit)", { shown: "" }),
    "skip-wait-for-delete-timeout": flag.integer(
      0,
      "do not wait for pods that have been terminating for more than so many seconds",
      { least: 0 }
    ),
    output
  }
} satisfies Command

const number = (help: string) => optional(flag.number(0, help))

/** The command line of `rollcall plan evictions`. */
export const planEvictionsTable = {
  about:
    "What will be evicted next because of its node, when, and why not yet. Exit: 0 answered, 1 the cluster could not be read, 2 " +
    "wrong input.",
  operands: { usage: "[NODE...]", help: "only these nodes (default: all unhealthy ones)" },
  examples: ["plan evictions --snapshot cluster.json"],
  flags: {
    snapshot: snapshotFiles("kubectl get nodes,leases,pods -A -o json"),
    "as-of": text(
      "when the snapshot was taken, as 2026-01-02T15:04:05Z (default: what it says itself, or the last thing that happened in it)"
    ),
    kubeconfig: text("take the cluster that this kubeconfig names; only reads"),
    "node-monitor-period": text("as kube-controller-manager has it (default: 5s)"),
    "node-monitor-grace-period": text("the same (default: the release's, 50s in 1.36)"),
    "node-eviction-rate": number("the same, in nodes per second (default: 0.1)"),
    "secondary-node-eviction-rate": number("the same (default: 0.01)"),
    "unhealthy-zone-threshold": number("the same (default: 0.55)"),
    "large-cluster-size-threshold": optional(flag.integer(0, "the same (default: 50)")),
    release: text("the Kubernetes release (default: 1.36)"),
    output
  }
} satisfies Command

/** The command line of `rollcall plan shutdown`. */
export const planShutdownTable = {
  about:
    "What a shutdown of a node will do to its pods, phase by phase, and what will surprise. Exit: 0 planned, 1 the cluster " +
    "could not be read, 2 wrong input, or a configuration that a kubelet refuses.",
  examples: ["plan shutdown --config kubelet.yaml --pods pods.json"],
  flags: {
    ...kubelet,
    pods: text("a file of pods, as kubectl get pods -o json or yaml prints them; -: standard input"),
    kubeconfig: text("take the pods of the cluster that this kubeconfig names; only reads"),
    "inhibit-delay-max-sec": flag.integer(5, "InhibitDelayMaxSec of the node's logind", { least: 0 })
  }
} satisfies Command

/** The command line of `rollcall plan swap`. */
export const planSwapTable = {
  about:
    "What each container of a node may swap under a kubelet's configuration. Exit: 0 planned, 1 the cluster could not be " +
    "read, 2 wrong input, or a configuration with which a kubelet does not start on a machine with swap.",
  examples: ["plan swap --config kubelet.yaml --pods pods.json --memory 32Gi --swap 8Gi"],
  flags: {
    ...kubelet,
    pods: text("a file of pods, and of their Node, as kubectl get prints them; -: standard input"),
    kubeconfig: text("take node and pods of the cluster that this kubeconfig names; only reads"),
    memory: text("memory of the node (default: status.capacity.memory of the Node)"),
    swap: text("swap of the node (default: status.nodeInfo.swap.capacity of the Node)")
  }
} satisfies Command
