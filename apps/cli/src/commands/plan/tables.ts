import { type Command, flag, optional, required } from "@rollcall/flags"
import { output, snapshotFiles, text } from "../flags.ts"

/** The flags that all plans have that depend on the configuration of a kubelet. */
const kubeletFlags = {
  config: required(flag.text("", "the kubelet's configuration file (KubeletConfiguration)")),
  "config-dir": flag.text("", "the folder of its drop-ins (*.conf), like the kubelet's --config-dir"),
  node: text("the node, if the pods are on several nodes"),
  release: text("the Kubernetes release (default: 1.36)"),
  output
}

/** The command line of `rollcall plan drain`. */
export const planDrainTable = {
  about:
    "Print what kubectl drain will do to nodes: the pods that it evicts and when, what blocks it and why, and where the pods are placed next. Exit: 0 planned, 1 " +
    "something blocks the drain or the cluster could not be read, 2 wrong input.",
  operands: { usage: "[NODE...]", help: "the nodes, in the order in which they are drained" },
  examples: [
    "plan drain n1 --snapshot cluster.json --ignore-daemonsets",
    "plan drain -l pool=old --kubeconfig ~/.kube/config"
  ],
  flags: {
    snapshot: snapshotFiles("kubectl get … -A -o json"),
    kubeconfig: text("a kubeconfig whose cluster is read (read-only)"),
    selector: optional(flag.text("", "select nodes by labels instead of by name", { short: "l" })),
    "pod-selector": text("evict only the pods with these labels"),
    force: flag.boolean(false, "also evict pods that no controller replaces"),
    "ignore-daemonsets": flag.boolean(false, "ignore pods of DaemonSets"),
    "delete-emptydir-data": flag.boolean(false, "also evict pods with emptyDir volumes, whose data is lost"),
    "disable-eviction": flag.boolean(false, "delete the pods instead of evicting them, ignoring budgets"),
    "grace-period": flag.integer(-1, "grace period of each pod in seconds; negative: the pod's own"),
    timeout: flag.text("0s", "how long to wait for each node, such as 90s or 5m (default: no limit)", { shown: "" }),
    "skip-wait-for-delete-timeout": flag.integer(
      0,
      "do not wait for pods that have been terminating for longer than this, in seconds",
      { min: 0 }
    ),
    output
  }
} satisfies Command

/** A number flag whose value is undefined if it is not given. */
const number = (help: string) => optional(flag.number(0, help))

/** The command line of `rollcall plan evictions`. */
export const planEvictionsTable = {
  about:
    "Print which pods will be evicted because of their node, when, and why not yet. Exit: 0 planned, 1 the cluster could not be read, 2 " +
    "wrong input.",
  operands: { usage: "[NODE...]", help: "the nodes to plan for (default: all unhealthy nodes)" },
  examples: ["plan evictions --snapshot cluster.json"],
  flags: {
    snapshot: snapshotFiles("kubectl get nodes,leases,pods -A -o json"),
    "as-of": text(
      "the time of the snapshot, such as 2026-01-02T15:04:05Z (default: the time that it states, or its latest timestamp)"
    ),
    kubeconfig: text("a kubeconfig whose cluster is read (read-only)"),
    "node-monitor-period": text("kube-controller-manager's --node-monitor-period (default: 5s)"),
    "node-monitor-grace-period": text(
      "kube-controller-manager's --node-monitor-grace-period (default: the release's, 50s in 1.36)"
    ),
    "node-eviction-rate": number("kube-controller-manager's --node-eviction-rate, in nodes per second (default: 0.1)"),
    "secondary-node-eviction-rate": number("kube-controller-manager's --secondary-node-eviction-rate (default: 0.01)"),
    "unhealthy-zone-threshold": number("kube-controller-manager's --unhealthy-zone-threshold (default: 0.55)"),
    "large-cluster-size-threshold": optional(
      flag.integer(0, "kube-controller-manager's --large-cluster-size-threshold (default: 50)")
    ),
    release: text("the Kubernetes release (default: 1.36)"),
    output
  }
} satisfies Command

/** The command line of `rollcall plan shutdown`. */
export const planShutdownTable = {
  about:
    "Print what a shutdown of a node will do to its pods, phase by phase, with warnings about unexpected effects. Exit: 0 planned, 1 the cluster " +
    "could not be read, 2 wrong input, or a configuration that a kubelet refuses.",
  examples: ["plan shutdown --config kubelet.yaml --pods pods.json"],
  flags: {
    ...kubeletFlags,
    pods: text("a file of pods, from kubectl get pods -o json or yaml; -: standard input"),
    kubeconfig: text("a kubeconfig whose cluster's pods are read (read-only)"),
    "inhibit-delay-max-sec": flag.integer(5, "InhibitDelayMaxSec of the node's logind", { min: 0 })
  }
} satisfies Command

/** The command line of `rollcall plan swap`. */
export const planSwapTable = {
  about:
    "Print how much each container of a node may swap under a kubelet's configuration. Exit: 0 planned, 1 the cluster could not be " +
    "read, 2 wrong input, or a configuration with which a kubelet does not start on a machine with swap.",
  examples: ["plan swap --config kubelet.yaml --pods pods.json --memory 32Gi --swap 8Gi"],
  flags: {
    ...kubeletFlags,
    pods: text("a file of pods and their Node, from kubectl get -o json or yaml; -: standard input"),
    kubeconfig: text("a kubeconfig whose cluster's node and pods are read (read-only)"),
    memory: text("memory of the node (default: status.capacity.memory of the Node)"),
    swap: text("swap of the node (default: status.nodeInfo.swap.capacity of the Node)")
  }
} satisfies Command

/** The command line of `rollcall plan scale`. */
export const planScaleTable = {
  about:
    "Print the load that clusters of these sizes put on their API servers and on etcd, from what a node and a pod write in a rehearsal. Exit: 0 planned, 2 wrong input.",
  operands: { usage: "[NODES...]", help: "the numbers of nodes (default: 5000 15000 65000 130000)" },
  examples: ["plan scale", "plan scale 20000 --pods-per-node 60 --pod-life 6h"],
  flags: {
    "pods-per-node": flag.integer(30, "the pods of each node", { min: 0 }),
    "pod-life": flag.text("24h", "how long a pod lives on average, such as 90m or 24h"),
    output
  }
} satisfies Command
