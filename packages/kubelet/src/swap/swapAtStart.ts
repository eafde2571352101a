import { type Release, value } from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import type { SwapMachine } from "./swapLimit.ts"

/** Returns the machine's properties that matter for swap, with defaults. */
export const swapMachineOf = ({
  capacity,
  cgroupVersion = 2,
  swapBytes = 0,
  swapController = true
}: Machine): SwapMachine => ({
  memoryBytes: value(capacity.memory ?? "0"),
  swapBytes,
  cgroupVersion,
  swapController
})

/**
 * Returns upstream's message if a kubelet does not start on a machine because of its control groups or its swap, or
 * undefined if it starts. Upstream: pkg/kubelet/apis/config/validation, cmd/kubelet/app/server.go,
 * pkg/kubelet/cm/container_manager_linux.go.
 */
export const swapStartProblem = (
  { cgroupVersion = 2, swapBytes = 0 }: Pick<Machine, "cgroupVersion" | "swapBytes">,
  config: Pick<KubeletConfig, "failCgroupV1" | "failSwapOn" | "featureGates" | "swapBehavior">,
  release: Release
): string | undefined => {
  if (cgroupVersion === 1 && config.failCgroupV1) {
    return "kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release"
  }
  const proportional = release.swap.limitedSwap === "proportional" && config.featureGates.NodeSwap
  if (cgroupVersion === 1 && proportional && config.swapBehavior === "LimitedSwap") {
    return "swap feature is enabled and LimitedSwap but it is only supported with cgroupv2"
  }
  return swapBytes > 0 && config.failSwapOn
    ? "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"
    : undefined
}

/**
 * The Warning about a node whose Secrets may be swapped to disk. Upstream: pkg/kubelet/cm/container_manager_linux.go.
 */
export const memoryBackedVolumesOnDisk = {
  type: "Warning",
  reason: "PossibleMemoryBackedVolumesOnDisk",
  message:
    "The tmpfs noswap option is not supported. Memory-backed volumes (e.g. secrets, emptyDirs, etc.) might be swapped to disk and should no longer be considered secure."
} as const

/** Whether that Warning is due when a kubelet starts; releases before the second beta of swap do not check. */
export const volumesMayBeSwapped = (
  { swapBytes = 0, tmpfsNoSwap = true }: Pick<Machine, "swapBytes" | "tmpfsNoSwap">,
  { swap }: Release
): boolean => swap.limitedSwap === "proportional" && swapBytes > 0 && !tmpfsNoSwap
