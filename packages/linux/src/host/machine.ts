import type { NodeAddress } from "@rollcall/api"
import type { Machine, Versions } from "@rollcall/kubelet"
import { readCapacity } from "./capacity.ts"
import { cgroupVersionOf } from "./cgroup.ts"
import { readIdentity } from "./identity.ts"
import type { System } from "./System.ts"
import { readSwap } from "./swap.ts"

/** What a machine does not know of itself: which kubelet and runtime are on it. */
export type OwnVersions = Pick<Versions, "kubeletVersion" | "runtimeType" | "runtimeVersion">

/** A kernel since 6.4 can. Upstream: pkg/util/kernel/constants.go TmpfsNoswapSupportKernelVersion. */
const canKeepTmpfsOutOfSwap = (kernelVersion: string): boolean => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(kernelVersion) ?? []
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 4)
}

const NO_IMAGES: Machine["images"] = []

/** The machine as its files tell of it now. */
export const readMachine = (
  system: System,
  rootDir: string,
  versions: OwnVersions,
  addresses: ReadonlyArray<NodeAddress>
): Machine => {
  const { architecture, bootID, kernelVersion, machineID, osImage, systemUUID } = readIdentity(system)
  const cgroupVersion = cgroupVersionOf(system)
  const swap = readSwap(system, cgroupVersion)
  return {
    capacity: readCapacity(system, rootDir),
    addresses,
    operatingSystem: "linux",
    architecture,
    machineID,
    systemUUID,
    bootID,
    versions: { ...versions, kernelVersion, osImage },
    // Pods are modelled: nothing on the machine runs their images.
    images: NO_IMAGES,
    swapBytes: swap.total,
    cgroupVersion,
    swapController: swap.controllerAvailable,
    tmpfsNoSwap: canKeepTmpfsOutOfSwap(kernelVersion)
  }
}
