import type { Release } from "@rollcall/api"
import * as Result from "effect/Result"
import { parseThresholds } from "../eviction/parseThresholds.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { goQuote } from "./goQuote.ts"
import { maxLogSizeProblem } from "./logSettings.ts"
import { parseReservation } from "./reservations.ts"

/** Formats a map as Go prints it with `%v`: `map[a:1 b:2]`. */
const goMap = (map: Readonly<Record<string, string>>): string =>
  `map[${Object.keys(map)
    .sort()
    .map((key) => `${key}:${map[key]}`)
    .join(" ")}]`

const reservationError = ({ kubeReserved = {}, systemReserved = {} }: KubeletConfiguration): string | undefined => {
  const kube = parseReservation(kubeReserved)
  if (Result.isFailure(kube)) return `--kube-reserved value failed to parse: ${kube.failure}`
  const system = parseReservation(systemReserved)
  return Result.isFailure(system) ? `--system-reserved value failed to parse: ${system.failure}` : undefined
}

/**
 * Returns the error about an option that is unknown, or is alpha or beta in the release while the gate of that level is
 * off. Upstream: topologymanager/policy_options.go.
 */
const topologyOptionError = (
  options: Readonly<Record<string, string>>,
  { topologyManagerOptions: known }: Release,
  gates: GateSettings
): string | undefined => {
  for (const name of Object.keys(options).sort()) {
    const level = known[name]
    if (level === undefined) return `unknown Topology Manager Policy option: ${goQuote(name)}`
    if (level === "alpha" && !gates.isOn("TopologyManagerPolicyAlphaOptions")) {
      return `topology manager policy alpha-level options not enabled, but option ${goQuote(name)} provided`
    }
    if (level === "beta" && !gates.isOn("TopologyManagerPolicyBetaOptions")) {
      return `topology manager policy beta-level options not enabled, but option ${goQuote(name)} provided`
    }
  }
  return undefined
}

const managerError = (config: KubeletConfiguration, release: Release, gates: GateSettings): string | undefined => {
  const { cpuManagerPolicy = "none", memoryManagerPolicy = "None", topologyManagerPolicyOptions: options } = config
  const { cpuManagerPolicyOptions: cpuOptions } = config
  if (cpuOptions !== undefined && !gates.isOn("CPUManagerPolicyOptions")) {
    return `CPU Manager policy options ${goMap(cpuOptions)} require feature gates "CPUManager", "CPUManagerPolicyOptions" enabled`
  }
  if (options !== undefined && !gates.isOn("TopologyManagerPolicyOptions")) {
    return `topology manager policy options ${goMap(options)} require feature gates "TopologyManagerPolicyOptions" enabled`
  }
  const topologyError = options === undefined ? undefined : topologyOptionError(options, release, gates)
  if (topologyError !== undefined) return topologyError
  if (cpuManagerPolicy !== "none" && cpuManagerPolicy !== "static")
    return `unknown policy: ${goQuote(cpuManagerPolicy)}`
  return memoryManagerPolicy === "None" || memoryManagerPolicy === "Static"
    ? undefined
    : `unknown policy: ${goQuote(memoryManagerPolicy)}`
}

const thresholdError = (config: KubeletConfiguration): string | undefined => {
  const parsed = parseThresholds({
    enforceNodeAllocatable: config.enforceNodeAllocatable ?? [],
    evictionHard: config.evictionHard ?? {},
    evictionSoft: config.evictionSoft ?? {},
    evictionSoftGracePeriod: config.evictionSoftGracePeriod ?? {},
    evictionMinimumReclaim: config.evictionMinimumReclaim ?? {}
  })
  return Result.isFailure(parsed) ? parsed.failure.message : undefined
}

const logError = ({ containerLogMaxSize = "" }: KubeletConfiguration): string | undefined => {
  const problem = containerLogMaxSize === "" ? undefined : maxLogSizeProblem(containerLogMaxSize)
  if (problem === undefined) return undefined
  const why = `failed to parse container log max size ${goQuote(containerLogMaxSize)}: ${problem}`
  return `failed to initialize container log manager: ${why}`
}

/**
 * Returns upstream's message about an error that would stop a kubelet while it starts although its configuration passed
 * validation, or undefined. Upstream: cmd/kubelet/app/server.go run, and the managers that it makes.
 */
export const startupError = (config: KubeletConfiguration, release: Release, gates: GateSettings): string | undefined =>
  reservationError(config) ?? managerError(config, release, gates) ?? thresholdError(config) ?? logError(config)
