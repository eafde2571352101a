import type { CgroupVersion } from "./cgroup.ts"
import type { Swap } from "./swap.ts"

/** The part of the configuration that a machine can be at odds with. */
export interface StartConditions {
  readonly failSwapOn: boolean
  readonly failCgroupV1: boolean
  readonly swapBehavior: string
}

/**
 * Why a kubelet refuses to start on this machine, in upstream's words; nothing when it does not.
 * Upstream: pkg/kubelet/apis/config/validation/validation_linux.go; pkg/kubelet/cm/container_manager_linux.go;
 * cmd/kubelet/app/server.go.
 */
export const refusalToStart = (
  conditions: StartConditions,
  machine: { readonly cgroupVersion: CgroupVersion; readonly swap: Pick<Swap, "areas"> }
): string | undefined => {
  if (conditions.failCgroupV1 && machine.cgroupVersion === 1) {
    return "kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release"
  }
  if (conditions.failSwapOn && machine.swap.areas.length > 0) {
    return "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"
  }
  if (conditions.swapBehavior === "LimitedSwap" && machine.cgroupVersion === 1) {
    return "swap feature is enabled and LimitedSwap but it is only supported with cgroupv2"
  }
  return undefined
}
