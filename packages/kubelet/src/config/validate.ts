import type { Release } from "@rollcall/api"
import { type ShutdownFields, shutdownFieldsOf } from "../KubeletConfig.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { goQuote } from "./goQuote.ts"
import { formatTaint, isValidTaint } from "./registerTaints.ts"
import { validateReservedMemory } from "./reservedMemory.ts"
import { validateCPUs, validateEnforcement } from "./validateCgroups.ts"
import { validateImagePulls, validateImages, validatePullPolicy } from "./validateImages.ts"
import { validateInstrumentation } from "./validateInstrumentation.ts"
import { validateLogFiles, validateMemoryQoS } from "./validateUnsupported.ts"
import { type AddError, durationMs, goDuration, inRange } from "./validation.ts"

/** Validation rules of other packages for fields of this configuration. Each returns upstream's messages, in order. */
export interface ConfigValidators {
  /** The fields of graceful node shutdown. */
  readonly shutdown?: (config: ShutdownFields) => ReadonlyArray<string>
}

const validateLimits = (config: KubeletConfiguration, addError: AddError): void => {
  const notNegative = (name: keyof KubeletConfiguration, flag: string) => {
    const value = config[name]
    if (Number(value ?? 0) < 0) addError(`${name} (--${flag}) ${value} must not be a negative number`)
  }
  const within = (name: keyof KubeletConfiguration, flag: string, least: number, most: number) => {
    const value = config[name]
    if (!inRange(Number(value ?? 0), least, most)) {
      addError(`${name} (--${flag}) ${value} must be between ${least} and ${most}, inclusive`)
    }
  }
  const { nodeStatusMaxImages = 0, port = 0, readOnlyPort = 0 } = config
  within("iptablesDropBit", "iptables-drop-bit", 0, 31)
  within("iptablesMasqueradeBit", "iptables-masquerade-bit", 0, 31)
  notNegative("kubeAPIBurst", "kube-api-burst")
  notNegative("kubeAPIQPS", "kube-api-qps")
  if (nodeStatusMaxImages < -1) {
    addError(`nodeStatusMaxImages (--node-status-max-images) ${nodeStatusMaxImages} must be -1 or greater`)
  }
  notNegative("maxOpenFiles", "max-open-files")
  notNegative("maxPods", "max-pods")
  within("oomScoreAdj", "oom-score-adj", -1000, 1000)
  notNegative("podsPerCore", "pods-per-core")
  if (!inRange(port, 1, 65_535)) addError(`port (--port) ${port} must be between 1 and 65535, inclusive`)
  if (readOnlyPort !== 0 && !inRange(readOnlyPort, 1, 65_535)) {
    addError(`readOnlyPort (--read-only-port) ${readOnlyPort} must be between 0 and 65535, inclusive`)
  }
  notNegative("registryBurst", "registry-burst")
  notNegative("registryPullQPS", "registry-qps")
}

const validateLeaseEventsAndQuota = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { cgroupRoot = "", cpuCFSQuotaPeriod = "0s", eventBurst = 0, eventRecordQPS = 0 } = config
  const { healthzPort = 0, nodeLeaseDurationSeconds = 0, systemCgroups = "" } = config
  if (nodeLeaseDurationSeconds <= 0) addError("nodeLeaseDurationSeconds must be greater than 0")
  if (systemCgroups !== "" && cgroupRoot === "") {
    addError("systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified")
  }
  if (eventBurst < 0) addError(`eventBurst (--event-burst) ${eventBurst} must not be a negative number`)
  if (eventRecordQPS < 0) addError(`eventRecordQPS (--event-qps) ${eventRecordQPS} must not be a negative number`)
  if (healthzPort !== 0 && !inRange(healthzPort, 1, 65_535)) {
    addError(`healthzPort (--healthz-port) ${healthzPort} must be between 1 and 65535, inclusive`)
  }
  const periodMs = durationMs(cpuCFSQuotaPeriod)
  const period = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${goDuration(cpuCFSQuotaPeriod)}}`
  if (!gates.isOn("CustomCPUCFSQuotaPeriod")) {
    if (periodMs !== 100) addError(`${period} requires feature gate CustomCPUCFSQuotaPeriod`)
  } else if (!inRange(periodMs, 1, 1000)) addError(`${period} must be between 1ms and 1sec, inclusive`)
}

const TOPOLOGY_POLICIES: ReadonlyArray<string> = ["none", "best-effort", "restricted", "single-numa-node"]

const validateTaints = (
  config: KubeletConfiguration,
  addError: AddError,
  addUnprefixed: (message: string) => void
): void => {
  for (const { effect = "", key = "", timeAdded, value = "" } of config.registerWithTaints ?? []) {
    if (!isValidTaint({ key, value, effect })) addUnprefixed(`invalid taint: ${formatTaint({ key, value, effect })}`)
    if (timeAdded !== undefined) addError("taint.TimeAdded is not nil")
  }
}

const validateTopology = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { topologyManagerPolicy = "", topologyManagerScope = "" } = config
  if (topologyManagerPolicy !== "none" && !gates.isOn("TopologyManager")) {
    addError(`topologyManagerPolicy ${topologyManagerPolicy} requires feature gate TopologyManager`)
  }
  if (!TOPOLOGY_POLICIES.includes(topologyManagerPolicy)) {
    const known = TOPOLOGY_POLICIES.map(goQuote).join(" ")
    addError(
      `topologyManagerPolicy (--topology-manager-policy) ${goQuote(topologyManagerPolicy)} must be one of: [${known}]`
    )
  }
  if (topologyManagerScope !== "container" && topologyManagerScope !== "pod") {
    addError(
      `topologyManagerScope (--topology-manager-scope) ${goQuote(topologyManagerScope)} must be one of: "container", or "pod"`
    )
  }
}

const validateSwap = (
  config: KubeletConfiguration,
  { swap: rules }: Release,
  gates: GateSettings,
  addError: AddError
): void => {
  const behaviour = config.memorySwap?.swapBehavior ?? ""
  if (!gates.isOn("NodeSwap")) {
    if (behaviour !== "") addError("memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled")
    return
  }
  if (behaviour === "" || rules.behaviours.some((known) => known === behaviour)) return
  const known = ["LimitedSwap", ...rules.behaviours.filter((other) => other !== "LimitedSwap")].map(goQuote)
  addError(`memorySwap.swapBehavior ${goQuote(behaviour)} must be one of: "", ${known.join(" or ")}`)
}

const validateCrashLoopBackOff = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const period = config.crashLoopBackOff?.maxContainerRestartPeriod
  if (gates.isOn("KubeletCrashLoopBackOffMax")) {
    if (period === undefined) {
      addError(
        "FeatureGate KubeletCrashLoopBackOffMax is enabled, CrashLoopBackOff.MaxContainerRestartPeriod must be set"
      )
    } else if (!inRange(Math.trunc(durationMs(period)), 1000, 300_000)) {
      addError(
        `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${durationMs(period) / 1000} seconds) must be set between 1s and 300s`
      )
    }
  } else if (period !== undefined) {
    addError(
      "FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set"
    )
  }
}

/**
 * Validates a configuration with its defaults by Kubernetes' rules. Returns the error messages in upstream's order;
 * none if it is valid. Rules that depend on the machine (its cgroup version) are checked when the kubelet starts.
 * Upstream: pkg/kubelet/apis/config/validation/validation.go, ValidateKubeletConfiguration.
 */
export const validateKubeletConfiguration = (
  config: KubeletConfiguration,
  release: Release,
  gates: GateSettings,
  { shutdown = () => [] }: ConfigValidators = {}
): ReadonlyArray<string> => {
  const messages: Array<string> = []
  const addError: AddError = (message) => void messages.push(`invalid configuration: ${message}`)
  const addUnprefixed = (message: string) => void messages.push(message)
  validateLeaseEventsAndQuota(config, gates, addError)
  validateImages(config, gates, addError)
  validateLimits(config, addError)
  validateImagePulls(config, gates, addError)
  validateTaints(config, addError, addUnprefixed)
  validateTopology(config, gates, addError)
  messages.push(...shutdown(shutdownFieldsOf(config, gates.gates)))
  validateSwap(config, release, gates, addError)
  validateCrashLoopBackOff(config, gates, addError)
  validateEnforcement(config, addError)
  validatePullPolicy(config, gates, addError)
  validateCPUs(config, addError)
  messages.push(...validateReservedMemory(config.reservedMemory ?? []))
  messages.push(...validateInstrumentation(config, release))
  validateMemoryQoS(config, gates, addError)
  validateLogFiles(config, gates, addError)
  return messages
}

/**
 * Joins error messages, without duplicates, as Go prints an aggregate. Upstream: apimachinery/pkg/util/errors,
 * NewAggregate.
 */
export const aggregateMessages = (messages: ReadonlyArray<string>): string => {
  const [first = "", ...others] = new Set(messages)
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`
}
