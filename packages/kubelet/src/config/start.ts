import * as Result from "effect/Result"
import { parseThresholds } from "../eviction/parseThresholds.ts"
import { quoted } from "./ConfigProblem.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
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

const managers = (config: KubeletConfiguration, gates: GateSettings): string | undefined => {
  const { cpuManagerPolicy = "none", memoryManagerPolicy = "None", topologyManagerPolicyOptions: options } = config
  if (options !== undefined && !gates.isOn("TopologyManagerPolicyOptions")) {
    return `topology manager policy options ${goMap(options)} require feature gates "TopologyManagerPolicyOptions" enabled`
  }
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
export const startProblem = (config: KubeletConfiguration, gates: GateSettings): string | undefined =>
  reservations(config) ?? managers(config, gates) ?? thresholds(config)
