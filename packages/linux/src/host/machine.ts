import { type Machine, type MachineNetwork, machineAddresses, type Versions } from "@rollcall/kubelet"
import { readCapacity } from "./capacity.ts"
import { cgroupVersionOf } from "./cgroup.ts"
import { readIdentity } from "./identity.ts"
import type { System } from "./System.ts"
import { readSwap } from "./swap.ts"

/** Settings that cannot be read from the machine. */
export interface MachineOptions {
  /** The node's Hostname address. */
  readonly hostname: string
  /** The versions of the kubelet and the runtime. */
  readonly versions: Pick<Versions, "kubeletVersion" | "runtimeType" | "runtimeVersion">
  /** The parsed `--node-ip`; absent if it is not set. */
  readonly nodeIPs?: ReadonlyArray<string>
  readonly externalCloudProvider?: boolean
  /** `--root-dir`: selects the filesystem of the node's own files. It may not exist yet. */
  readonly rootDir: string
}

/**
 * Whether the kernel can keep tmpfs out of swap: kernels since 6.4 can. Upstream: pkg/util/kernel/constants.go
 * TmpfsNoswapSupportKernelVersion.
 */
const canKeepTmpfsOutOfSwap = (kernelVersion: string): boolean => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(kernelVersion) ?? []
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 4)
}

const NO_IMAGES: Machine["images"] = []

/** Reads the machine's current state. */
export const readMachine = (system: System, network: MachineNetwork, setting: MachineOptions): Machine => {
  const { externalCloudProvider = false, hostname, nodeIPs = [], rootDir, versions } = setting
  const { architecture, bootID, kernelVersion, machineID, osImage, systemUUID } = readIdentity(system)
  const cgroupVersion = cgroupVersionOf(system)
  const swap = readSwap(system, cgroupVersion)
  const hostnameAddress = [{ type: "Hostname", address: hostname }] as const
  return {
    capacity: readCapacity(system, rootDir),
    addresses:
      machineAddresses({ addresses: hostnameAddress, network }, { nodeIPs, externalCloudProvider }).addresses ??
      hostnameAddress,
    network,
    operatingSystem: "linux",
    architecture,
    machineID,
    systemUUID,
    bootID,
    versions: { ...versions, kernelVersion, osImage },
    // Pods are modelled: their images are not on the machine.
    images: NO_IMAGES,
    swapBytes: swap.total,
    cgroupVersion,
    swapController: swap.controllerAvailable,
    tmpfsNoSwap: canKeepTmpfsOutOfSwap(kernelVersion),
    appArmor: system.read("/sys/module/apparmor/parameters/enabled") === "Y"
  }
}
