import * as Context from "effect/Context"
import type { NodeCondition } from "../objects/Node.ts"

/** Releases that can be emulated: those that the concept documents describe, and the one that the rules were taken from. */
export const releaseNames = ["1.4", "1.26", "1.31", "1.35", "1.36"] as const
export type ReleaseName = (typeof releaseNames)[number]

/** What a container may have of the node's swap. KEP-2400. */
export interface SwapRules {
  /** Values of memorySwap.swapBehavior, besides the empty one. */
  readonly behaviours: ReadonlyArray<"NoSwap" | "LimitedSwap" | "UnlimitedSwap">
  /** What an empty swapBehavior means; undefined: swap is not known at all. */
  readonly defaultBehaviour: "NoSwap" | "LimitedSwap" | undefined
  /**
   * How LimitedSwap limits: `memoryLimit`, memory and swap together up to the memory limit on cgroup v1 and none on v2;
   * `proportional`, the share of the node's swap that the memory request is of its memory, for Burstable pods on cgroup v2.
   */
  readonly limitedSwap: "memoryLimit" | "proportional"
  /** Default of failSwapOn. */
  readonly failSwapOn: boolean
  /** A Node tells how much swap it has. */
  readonly inNodeInfo: boolean
  /** A kubelet's stats tell the swap of the node and of each container. */
  readonly inStats: boolean
}

/**
 * The only place where releases differ. Code asks a row for a value, never for a version; what a feature gate decides is asked
 * of `featureGatesOf`.
 */
export interface Release {
  readonly name: ReleaseName
  /** What components of this release report as their version. */
  readonly version: string
  /** Default of --node-monitor-grace-period: silence before a node counts as Unknown. */
  readonly nodeMonitorGracePeriodSeconds: number
  /**
   * How pods leave a lost node: deleted by the node controller itself after --pod-eviction-timeout, or by taint eviction
   * after their own tolerationSeconds.
   */
  readonly podEviction: "deletion" | "taints"
  /** Default of --pod-eviction-timeout; has an effect only where pods leave by deletion. */
  readonly podEvictionTimeoutSeconds: number
  /** The node controller removes by force what it has deleted and what does not end in its grace period; else it stays Terminating. */
  readonly forcedDeletion: boolean
  /** NoSchedule taints from conditions and from spec.unschedulable; without them the scheduler goes by the conditions. */
  readonly conditionTaints: boolean
  /** Admission gives pods 300 s tolerations for not-ready and unreachable. */
  readonly defaultTolerations: boolean
  /** Kubelets keep a Lease; without it the node status is the only heartbeat. */
  readonly nodeLeases: boolean
  /** Default of nodeStatusReportFrequency: how long an unchanged status stays unreported. */
  readonly nodeStatusReportFrequencySeconds: number
  /** Conditions that a kubelet sets, in its order. */
  readonly kubeletConditions: ReadonlyArray<NodeCondition["type"]>
  /** Conditions that the node controller turns Unknown when a kubelet falls silent, in its order. */
  readonly staleConditions: ReadonlyArray<NodeCondition["type"]>
  /**
   * Who asks a cloud about machines: controllers of its own, which nodes wait for; or the node controller, which deletes a node
   * with its pods when its machine is gone, and kubelets themselves.
   */
  readonly cloudControllers: "external" | "nodeController"
  /** Options of `topologyManagerPolicyOptions`, and how far each has come: what is not stable needs a gate. */
  readonly topologyManagerOptions: Readonly<Record<string, "alpha" | "beta" | "stable">>
  /** What must fit into what when a pod is placed. */
  readonly podsFitBy: "limitsInCapacity" | "requestsInAllocatable"
  /** DaemonSet pods are placed by their controller, past the scheduler and unschedulable nodes; or by the scheduler. */
  readonly daemonSetPods: "bypassScheduler" | "scheduled"
  /** Sysctls that pods may set without being allowed to, where the kernel has them. */
  readonly safeSysctls: ReadonlyArray<string>
  readonly swap: SwapRules
  /** Signals that have a hard eviction threshold where a kubelet is told of none. */
  readonly evictionHardSignals: ReadonlyArray<string>
  /** A kubelet may give its own Node only some of the labels under kubernetes.io. */
  readonly nodeLabelsRestricted: boolean
  /** Admission keeps kubelets to their own Node and its pods: the plugin NodeRestriction. */
  readonly nodeRestriction: boolean
  /** What a kubelet's `--config` names: its configuration, or as `--pod-manifest-path` the manifests of static pods. */
  readonly configFlag: "configuration" | "manifests"
  /** Default of failCgroupV1: whether a kubelet refuses to start on cgroup v1. */
  readonly failCgroupV1: boolean
  /** The message of the Event CgroupV1, by which a kubelet that runs on cgroup v1 warns; empty: it makes none. */
  readonly cgroupV1Warning: string
}

const firstSafeSysctls = ["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"]

const safeSysctls126 = [...firstSafeSysctls, "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"]

const safeSysctls131 = [
  ...safeSysctls126,
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes"
]

const newest: Release = {
  name: "1.36",
  version: "v1.36.2",
  // Above the 45 s that a dead HTTP/2 connection may go unnoticed.
  nodeMonitorGracePeriodSeconds: 50,
  podEviction: "taints",
  podEvictionTimeoutSeconds: 300,
  forcedDeletion: false,
  conditionTaints: true,
  defaultTolerations: true,
  nodeLeases: true,
  nodeStatusReportFrequencySeconds: 300,
  kubeletConditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"],
  staleConditions: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"],
  cloudControllers: "external",
  topologyManagerOptions: { "prefer-closest-numa-nodes": "stable", "max-allowable-numa-nodes": "stable" },
  podsFitBy: "requestsInAllocatable",
  daemonSetPods: "scheduled",
  safeSysctls: [...safeSysctls131, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
  swap: {
    behaviours: ["NoSwap", "LimitedSwap"],
    defaultBehaviour: "NoSwap",
    limitedSwap: "proportional",
    failSwapOn: true,
    inNodeInfo: true,
    inStats: true
  },
  evictionHardSignals: [
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree"
  ],
  nodeLabelsRestricted: true,
  nodeRestriction: true,
  configFlag: "configuration",
  failCgroupV1: true,
  cgroupV1Warning:
    "cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1"
}

const v135: Release = { ...newest, name: "1.35", version: "v1.35.0" }

const v131: Release = {
  ...v135,
  name: "1.31",
  version: "v1.31.0",
  nodeMonitorGracePeriodSeconds: 40,
  safeSysctls: safeSysctls131,
  topologyManagerOptions: { "prefer-closest-numa-nodes": "beta", "max-allowable-numa-nodes": "beta" },
  swap: { ...newest.swap, inNodeInfo: false },
  failCgroupV1: false,
  cgroupV1Warning: "cgroup v1 support is in maintenance mode, please migrate to cgroup v2"
}

const v126: Release = {
  ...v131,
  name: "1.26",
  version: "v1.26.0",
  evictionHardSignals: ["memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available"],
  safeSysctls: safeSysctls126,
  topologyManagerOptions: { "prefer-closest-numa-nodes": "alpha" },
  swap: {
    behaviours: ["LimitedSwap", "UnlimitedSwap"],
    defaultBehaviour: "LimitedSwap",
    limitedSwap: "memoryLimit",
    failSwapOn: true,
    inNodeInfo: false,
    inStats: false
  },
  cgroupV1Warning: ""
}

const v14: Release = {
  ...v126,
  name: "1.4",
  version: "v1.4.0",
  podEviction: "deletion",
  forcedDeletion: true,
  conditionTaints: false,
  defaultTolerations: false,
  nodeLeases: false,
  nodeStatusReportFrequencySeconds: 10,
  kubeletConditions: ["OutOfDisk", "MemoryPressure", "DiskPressure", "Ready"],
  staleConditions: ["Ready", "OutOfDisk", "MemoryPressure", "DiskPressure"],
  cloudControllers: "nodeController",
  topologyManagerOptions: {},
  podsFitBy: "limitsInCapacity",
  daemonSetPods: "bypassScheduler",
  evictionHardSignals: ["memory.available"],
  nodeLabelsRestricted: false,
  nodeRestriction: false,
  configFlag: "manifests",
  safeSysctls: firstSafeSysctls,
  swap: {
    behaviours: [],
    defaultBehaviour: undefined,
    limitedSwap: "memoryLimit",
    failSwapOn: false,
    inNodeInfo: false,
    inStats: false
  }
}

export const releases: Readonly<Record<ReleaseName, Release>> = {
  "1.4": v14,
  "1.26": v126,
  "1.31": v131,
  "1.35": v135,
  "1.36": newest
}

export const defaultRelease: Release = newest

export const isReleaseName = (name: string): name is ReleaseName => Object.hasOwn(releases, name)

/** The release that is emulated, for all who are not told otherwise. */
export const CurrentRelease = Context.Reference<Release>("@rollcall/api/CurrentRelease", {
  defaultValue: () => defaultRelease
})
