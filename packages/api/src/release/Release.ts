import * as Context from "effect/Context"
import type { NodeCondition } from "../objects/Node.ts"

/** The releases that can be emulated. Rollcall's rules are those of 1.36, with the differences of the others. */
export const releaseNames = ["1.4", "1.26", "1.31", "1.35", "1.36"] as const
export type ReleaseName = (typeof releaseNames)[number]

/** A release's rules for containers' use of swap. KEP-2400. */
export interface SwapRules {
  /** The values of memorySwap.swapBehavior, besides the empty one. */
  readonly behaviours: ReadonlyArray<"NoSwap" | "LimitedSwap" | "UnlimitedSwap">
  /** The meaning of an empty swapBehavior; undefined if the release has no swap support. */
  readonly defaultBehaviour: "NoSwap" | "LimitedSwap" | undefined
  /**
   * The limit of LimitedSwap. With `memoryLimit`, memory and swap together may reach the memory limit on cgroup v1, and
   * there is no limit on v2. With `proportional`, Burstable pods on cgroup v2 may use the same share of the node's swap
   * as their memory request is of the node's memory.
   */
  readonly limitedSwap: "memoryLimit" | "proportional"
  /** The default of failSwapOn. */
  readonly failSwapOn: boolean
  /** Whether the status of a Node includes the amount of swap. */
  readonly inNodeInfo: boolean
  /** Whether the kubelet's stats include the swap of the node and of each container. */
  readonly inStats: boolean
}

/**
 * All differences between releases. Code reads a field of its release and never compares versions; `featureGatesOf`
 * gives what a feature gate decides.
 */
export interface Release {
  readonly name: ReleaseName
  /** The version that components of this release report. */
  readonly version: string
  /** The default of --node-monitor-grace-period: the time without a heartbeat after which a node becomes Unknown. */
  readonly nodeMonitorGracePeriodSeconds: number
  /**
   * How pods leave a lost node: the node controller deletes them after --pod-eviction-timeout, or taint eviction does
   * after their own tolerationSeconds.
   */
  readonly podEviction: "deletion" | "taints"
  /** The default of --pod-eviction-timeout, which has an effect only if `podEviction` is `deletion`. */
  readonly podEvictionTimeoutSeconds: number
  /**
   * Whether the node controller force-deletes the pods that it deleted and that have not ended in their grace period.
   * Otherwise they stay Terminating.
   */
  readonly forcedDeletion: boolean
  /** Whether conditions and spec.unschedulable become NoSchedule taints. Otherwise the scheduler reads the conditions. */
  readonly conditionTaints: boolean
  /** Whether admission adds tolerations of 300 s for not-ready and unreachable nodes to pods. */
  readonly defaultTolerations: boolean
  /** Whether kubelets renew a Lease. Otherwise the node status is the only heartbeat. */
  readonly nodeLeases: boolean
  /** The default of nodeStatusReportFrequency: the longest time between reports of an unchanged status. */
  readonly nodeStatusReportFrequencySeconds: number
  /** The conditions that a kubelet sets, in its order. */
  readonly kubeletConditions: ReadonlyArray<NodeCondition["type"]>
  /** The conditions that the node controller sets to Unknown when a kubelet stops reporting, in its order. */
  readonly staleConditions: ReadonlyArray<NodeCondition["type"]>
  /**
   * Which component asks the cloud about machines: separate cloud controllers, for which new nodes wait; or kubelets,
   * and the node controller, which deletes a node with its pods when its machine no longer exists.
   */
  readonly cloudControllers: "external" | "nodeController"
  /** The options of `topologyManagerPolicyOptions` and their stages: options that are not stable need a gate. */
  readonly topologyManagerOptions: Readonly<Record<string, "alpha" | "beta" | "stable">>
  /** How the scheduler checks that a pod fits a node. */
  readonly podsFitBy: "limitsInCapacity" | "requestsInAllocatable"
  /**
   * Which component places DaemonSet pods: their controller, ignoring the scheduler and unschedulable nodes; or the
   * scheduler.
   */
  readonly daemonSetPods: "bypassScheduler" | "scheduled"
  /** The sysctls that pods may set without being allowed to, where the kernel has them. */
  readonly safeSysctls: ReadonlyArray<string>
  readonly swap: SwapRules
  /** The signals with a hard eviction threshold by default. */
  readonly evictionHardSignals: ReadonlyArray<string>
  /** Whether a kubelet may set only some of the labels under kubernetes.io on its Node. */
  readonly nodeLabelsRestricted: boolean
  /** Whether the admission plugin NodeRestriction is on: kubelets may then change only their own Node and its pods. */
  readonly nodeRestriction: boolean
  /** The newest minor version of the Pod Security Standards; undefined if the release has no admission plugin for them. */
  readonly podSecurityMinor: number | undefined
  /**
   * What a kubelet's `--config` refers to: its configuration, or like `--pod-manifest-path` the manifests of static
   * pods.
   */
  readonly configFlag: "configuration" | "manifests"
  /** The default of failCgroupV1: whether a kubelet refuses to start on cgroup v1. */
  readonly failCgroupV1: boolean
  /** The message of the Event CgroupV1 of a kubelet on cgroup v1; empty if the release has no such Event. */
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
  // Longer than the 45 s for which a dead HTTP/2 connection may go undetected.
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
  podSecurityMinor: 36,
  configFlag: "configuration",
  failCgroupV1: true,
  cgroupV1Warning:
    "cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1"
}

const v135: Release = { ...newest, name: "1.35", version: "v1.35.0", podSecurityMinor: 35 }

const v131: Release = {
  ...v135,
  name: "1.31",
  version: "v1.31.0",
  podSecurityMinor: 31,
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
  podSecurityMinor: 26,
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
  podSecurityMinor: undefined,
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

/** The emulated release; the newest unless one is provided. */
export const CurrentRelease = Context.Reference<Release>("@rollcall/api/CurrentRelease", {
  defaultValue: () => defaultRelease
})
