import type { Release } from "@rollcall/api"
import * as Result from "effect/Result"
import { parseThresholds } from "../eviction/parseThresholds.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { quoted } from "./quoted.ts"
import { parseReservation } from "./reservations.ts"

const goMap = (map: Readonly<Record<string, string>>): string =>
  `map[${Object.keys(map)
    .sort()
    .map((key) => `${key}:${map[key]}`)
    .join(" ")}]`

const reservations = ({ kubeReserved = {}, systemReserved = {} }: KubeletConfiguration): string | undefined => {
  const kube = parseReservation(kubeReserved)
  if (Result.isFailure(kube)) return `--kube-reserved value failed to parse: ${kube.failure}`
  const system = parseReservation(systemReserved)
  return Result.isFailure(system) ? `--system-reserved value failed to parse: ${system.failure}` : undefined
}

/** Options that are not stable in a release, without the gate of their level. Upstream: topologymanager/policy_options.go. */
const topologyOptions = (
  options: Readonly<Record<string, string>>,
  { topologyManagerOptions: known }: Release,
  gates: GateSettings
): string | undefined => {
  for (const name of Object.keys(options).sort()) {
    const level = known[name]
    if (level === undefined) return `unknown Topology Manager Policy option: ${quoted(name)}`
    if (level === "alpha" && !gates.isOn("TopologyManagerPolicyAlphaOptions")) {
      return `topology manager policy alpha-level options not enabled, but option ${quoted(name)} provided`
    }
    if (level === "beta" && !gates.isOn("TopologyManagerPolicyBetaOptions")) {
      return `topology manager policy beta-level options not enabled, but option ${quoted(name)} provided`
    }
  }
  return undefined
}

const managers = (config: KubeletConfiguration, release: Release, gates: GateSettings): string | undefined => {
  const { cpuManagerPolicy = "none", memoryManagerPolicy = "None", topologyManagerPolicyOptions: options } = config
  const { cpuManagerPolicyOptions: cpuOptions } = config
  if (cpuOptions !== undefined && !gates.isOn("CPUManagerPolicyOptions")) {
    return `CPU Manager policy options ${goMap(cpuOptions)} require feature gates "CPUManager", "CPUManagerPolicyOptions" enabled`
  }
  if (options !== undefined && !gates.isOn("TopologyManagerPolicyOptions")) {
    return `topology manager policy options ${goMap(options)} require feature gates "TopologyManagerPolicyOptions" enabled`
  }
  const unavailable = options === undefined ? undefined : topologyOptions(options, release, gates)
  if (unavailable !== undefined) return unavailable
  if (cpuManagerPolicy !== "none" && cpuManagerPolicy !== "static") return `unknown policy: ${quoted(cpuManagerPolicy)}`
  return memoryManagerPolicy === "None" || memoryManagerPolicy === "Static"
    ? undefined
    : `unknown policy: ${quoted(memoryManagerPolicy)}`
}

const thresholds = (config: KubeletConfiguration): string | undefined => {
  const parsed = parseThresholds({
    enforceNodeAllocatable: config.enforceNodeAllocatable ?? [],
    evictionHard: config.evictionHard ?? {},
    evictionSoft: config.evictionSoft ?? {},
    evictionSoftGracePeriod: config.evictionSoftGracePeriod ?? {},
    evictionMinimumReclaim: config.evictionMinimumReclaim ?? {}
  })
  return Result.isFailure(parsed) ? parsed.failure.message : undefined
}

/**
 * What a kubelet would stop at while it starts although its configuration passed validation: upstream's message; undefined
 * when there is nothing. Upstream: cmd/kubelet/app/server.go run, and the managers that it makes.
 */
export const startProblem = (config: KubeletConfiguration, release: Release, gates: GateSettings): string | undefined =>
  reservations(config) ?? managers(config, release, gates) ?? thresholds(config)
