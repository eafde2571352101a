import type { Release } from "@rollcall/api"
import { type ShutdownFields, shutdownFieldsOf } from "../KubeletConfig.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { quoted } from "./quoted.ts"
import { isTaint, printedTaint } from "./registerTaints.ts"
import { validateReservedMemory } from "./reservedMemory.ts"
import { validateCPUs, validateEnforcement } from "./validateCgroups.ts"
import { validateInstrumentation } from "./validateInstrumentation.ts"
import {
  validateImages,
  validateLogFiles,
  validateMemoryQoS,
  validatePullPolicy,
  validatePulls
} from "./validateOthers.ts"
import { type Complain, durationMs, goDuration, inRange } from "./validation.ts"

/** Rules of another package for fields of this configuration: each answers upstream's messages, in order. */
export interface ConfigValidators {
  /** The fields of graceful node shutdown. */
  readonly shutdown?: (config: ShutdownFields) => ReadonlyArray<string>
}

const limits = (config: KubeletConfiguration, complain: Complain): void => {
  const notNegative = (name: keyof KubeletConfiguration, flag: string) => {
    const value = config[name]
    if (Number(value ?? 0) < 0) complain(`${name} (--${flag}) ${value} must not be a negative number`)
  }
  const within = (name: keyof KubeletConfiguration, flag: string, least: number, most: number) => {
    const value = config[name]
    if (!inRange(Number(value ?? 0), least, most)) {
      complain(`${name} (--${flag}) ${value} must be between ${least} and ${most}, inclusive`)
    }
  }
  const { nodeStatusMaxImages = 0, port = 0, readOnlyPort = 0 } = config
  within("iptablesDropBit", "iptables-drop-bit", 0, 31)
  within("iptablesMasqueradeBit", "iptables-masquerade-bit", 0, 31)
  notNegative("kubeAPIBurst", "kube-api-burst")
  notNegative("kubeAPIQPS", "kube-api-qps")
  if (nodeStatusMaxImages < -1) {
    complain(`nodeStatusMaxImages (--node-status-max-images) ${nodeStatusMaxImages} must be -1 or greater`)
  }
  notNegative("maxOpenFiles", "max-open-files")
  notNegative("maxPods", "max-pods")
  within("oomScoreAdj", "oom-score-adj", -1000, 1000)
  notNegative("podsPerCore", "pods-per-core")
  if (!inRange(port, 1, 65_535)) complain(`port (--port) ${port} must be between 1 and 65535, inclusive`)
  if (readOnlyPort !== 0 && !inRange(readOnlyPort, 1, 65_535)) {
    complain(`readOnlyPort (--read-only-port) ${readOnlyPort} must be between 0 and 65535, inclusive`)
  }
  notNegative("registryBurst", "registry-burst")
  notNegative("registryPullQPS", "registry-qps")
}

const beginnings = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { cgroupRoot = "", cpuCFSQuotaPeriod = "0s", eventBurst = 0, eventRecordQPS = 0 } = config
  const { healthzPort = 0, nodeLeaseDurationSeconds = 0, systemCgroups = "" } = config
  if (nodeLeaseDurationSeconds <= 0) complain("nodeLeaseDurationSeconds must be greater than 0")
  if (systemCgroups !== "" && cgroupRoot === "") {
    complain("systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified")
  }
  if (eventBurst < 0) complain(`eventBurst (--event-burst) ${eventBurst} must not be a negative number`)
  if (eventRecordQPS < 0) complain(`eventRecordQPS (--event-qps) ${eventRecordQPS} must not be a negative number`)
  if (healthzPort !== 0 && !inRange(healthzPort, 1, 65_535)) {
    complain(`healthzPort (--healthz-port) ${healthzPort} must be between 1 and 65535, inclusive`)
  }
  const periodMs = durationMs(cpuCFSQuotaPeriod)
  const period = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${goDuration(cpuCFSQuotaPeriod)}}`
  if (!gates.isOn("CustomCPUCFSQuotaPeriod")) {
    if (periodMs !== 100) complain(`${period} requires feature gate CustomCPUCFSQuotaPeriod`)
  } else if (!inRange(periodMs, 1, 1000)) complain(`${period} must be between 1ms and 1sec, inclusive`)
}

const TOPOLOGY_POLICIES: ReadonlyArray<string> = ["none", "best-effort", "restricted", "single-numa-node"]

const registration = (config: KubeletConfiguration, complain: Complain, add: (message: string) => void): void => {
  for (const { effect = "", key = "", timeAdded, value = "" } of config.registerWithTaints ?? []) {
    if (!isTaint({ key, value, effect })) add(`invalid taint: ${printedTaint({ key, value, effect })}`)
    if (timeAdded !== undefined) complain("taint.TimeAdded is not nil")
  }
}

const topology = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { topologyManagerPolicy = "", topologyManagerScope = "" } = config
  if (topologyManagerPolicy !== "none" && !gates.isOn("TopologyManager")) {
    complain(`topologyManagerPolicy ${topologyManagerPolicy} requires feature gate TopologyManager`)
  }
  if (!TOPOLOGY_POLICIES.includes(topologyManagerPolicy)) {
    const known = TOPOLOGY_POLICIES.map(quoted).join(" ")
    complain(
      `topologyManagerPolicy (--topology-manager-policy) ${quoted(topologyManagerPolicy)} must be one of: [${known}]`
    )
  }
  if (topologyManagerScope !== "container" && topologyManagerScope !== "pod") {
    complain(
      `topologyManagerScope (--topology-manager-scope) ${quoted(topologyManagerScope)} must be one of: "container", or "pod"`
    )
  }
}

const swap = (
  config: KubeletConfiguration,
  { swap: rules }: Release,
  gates: GateSettings,
  complain: Complain
): void => {
  const behaviour = config.memorySwap?.swapBehavior ?? ""
  if (!gates.isOn("NodeSwap")) {
    if (behaviour !== "") complain("memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled")
    return
  }
  if (behaviour === "" || rules.behaviours.some((known) => known === behaviour)) return
  const known = ["LimitedSwap", ...rules.behaviours.filter((other) => other !== "LimitedSwap")].map(quoted)
  complain(`memorySwap.swapBehavior ${quoted(behaviour)} must be one of: "", ${known.join(" or ")}`)
}

const crashLoops = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const period = config.crashLoopBackOff?.maxContainerRestartPeriod
  if (gates.isOn("KubeletCrashLoopBackOffMax")) {
    if (period === undefined) {
      complain(
        "FeatureGate KubeletCrashLoopBackOffMax is enabled, CrashLoopBackOff.MaxContainerRestartPeriod must be set"
      )
    } else if (!inRange(Math.trunc(durationMs(period)), 1000, 300_000)) {
      complain(
        `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${durationMs(period) / 1000} seconds) must be set between 1s and 300s`
      )
    }
  } else if (period !== undefined) {
    complain(
      "FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set"
    )
  }
}

/**
 * Kubernetes' rules for a configuration with its defaults filled in: the messages, in upstream's order; none when all is well.
 * What only the machine can tell (its cgroup version) is judged where the kubelet starts.
 * Upstream: pkg/kubelet/apis/config/validation/validation.go, ValidateKubeletConfiguration.
 */
export const validateKubeletConfiguration = (
  config: KubeletConfiguration,
  release: Release,
  gates: GateSettings,
  { shutdown = () => [] }: ConfigValidators = {}
): ReadonlyArray<string> => {
  const messages: Array<string> = []
  const complain: Complain = (message) => void messages.push(`invalid configuration: ${message}`)
  const add = (message: string) => void messages.push(message)
  beginnings(config, gates, complain)
  validateImages(config, gates, complain)
  limits(config, complain)
  validatePulls(config, gates, complain)
  registration(config, complain, add)
  topology(config, gates, complain)
  messages.push(...shutdown(shutdownFieldsOf(config, gates.gates)))
  swap(config, release, gates, complain)
  crashLoops(config, gates, complain)
  validateEnforcement(config, complain)
  validatePullPolicy(config, gates, complain)
  validateCPUs(config, complain)
  messages.push(...validateReservedMemory(config.reservedMemory ?? []))
  messages.push(...validateInstrumentation(config, release))
  validateMemoryQoS(config, gates, complain)
  validateLogFiles(config, gates, complain)
  return messages
}

/** Several errors as Go prints them together. Upstream: apimachinery/pkg/util/errors, NewAggregate. */
export const aggregated = (messages: ReadonlyArray<string>): string => {
  const [first = "", ...others] = new Set(messages)
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`
}
