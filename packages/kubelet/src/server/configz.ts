import { formatDuration } from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"

/** What flags or a release decide: no field of a KubeletConfiguration has it. */
const noFields: ReadonlySet<string> = new Set([
  "externalCloudProvider",
  "lowDiskSpaceThresholdMB",
  "nodeIPs",
  "nodeLabels",
  "outOfDiskTransitionFrequencyMs"
] satisfies ReadonlyArray<keyof KubeletConfig>)

const UNIT = /Ms$/

const durations = (value: unknown): unknown =>
  typeof value === "number"
    ? formatDuration(value)
    : Object.fromEntries(Object.entries(value as object).map(([key, ms]) => [key, formatDuration(Number(ms))]))

const field = ([name, value]: readonly [string, unknown]): ReadonlyArray<readonly [string, unknown]> => {
  if (noFields.has(name) || value === undefined) return []
  if (name === "swapBehavior") return [["memorySwap", value === "" ? {} : { swapBehavior: value }]]
  return [UNIT.test(name) ? [name.replace(UNIT, ""), durations(value)] : [name, value]]
}

/**
 * Returns the configuration of a kubelet as a KubeletConfiguration, with the fields that have an effect. Upstream:
 * pkg/kubelet/server, `/configz`.
 */
export const configz = (config: KubeletConfig): object => ({
  kubeletconfig: {
    kind: "KubeletConfiguration",
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    ...Object.fromEntries(Object.entries(config).flatMap(field))
  }
})
