import { defaultRelease, type NodeStatus, type NodeSystemInfo, type Release, type ResourceList } from "@rollcall/api"
import { declaredFeatures } from "../admission/DeclaredFeatures.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import { type MachineResources, machineResources } from "./MachineResources.ts"
import { machineAddresses, type OwnAddresses } from "./NodeAddresses.ts"
import { reportedImages, versionInfo } from "./NodeInfo.ts"

/**
 * The parts of a status that depend on machine and configuration alone. They are computed once for each machine object.
 */
export interface StaticStatus
  extends Pick<NodeStatus, "declaredFeatures" | "features" | "runtimeHandlers" | "volumesInUse"> {
  readonly resources: MachineResources
  readonly addresses: OwnAddresses
  readonly daemonEndpoints: NonNullable<NodeStatus["daemonEndpoints"]>
  /** The system info, without values that could not be read. */
  readonly nodeInfo: NodeSystemInfo
  readonly images: NonNullable<NodeStatus["images"]>
}

/** The fixed inputs of a kubelet's status. */
export interface NodeSetting {
  readonly config: KubeletConfig
  readonly release: Release
  readonly machine: Machine
  /** The `staticStatus` of this machine, configuration and release. */
  readonly fixed: StaticStatus
}

/** Caches computed resources by the capacity object, which the machines of a group share. */
const bySharedCapacity = new WeakMap<
  ResourceList,
  { readonly config: KubeletConfig; readonly resources: MachineResources }
>()

const resourcesOf = (machine: Machine, config: KubeletConfig): MachineResources => {
  const { allocatable, capacity, devices, unreadable } = machine
  if (allocatable !== undefined || devices !== undefined || unreadable !== undefined) {
    return machineResources({}, machine, config)
  }
  const known = bySharedCapacity.get(capacity)
  if (known?.config === config) return known.resources
  const resources = machineResources({}, machine, config)
  bySharedCapacity.set(capacity, { config, resources })
  return resources
}

const nodeInfoOf = (machine: Machine, config: KubeletConfig, release: Release): NodeSystemInfo => {
  const { architecture, bootID, machineID, operatingSystem, swapBytes = 0, systemUUID, unreadable, versions } = machine
  const reportsSwap = release.swap.inNodeInfo && swapBytes > 0
  return {
    ...(unreadable?.includes("info") === true ? {} : { machineID, systemUUID, bootID }),
    ...(unreadable?.includes("versions") === true
      ? {}
      : versionInfo(
          { kubeletVersion: release.version, ...versions },
          !config.featureGates.DisableNodeKubeProxyVersion
        )),
    operatingSystem,
    architecture,
    ...(reportsSwap ? { swap: { capacity: swapBytes } } : {})
  }
}

const byName = (left: { readonly name?: string }, right: { readonly name?: string }): number =>
  (left.name ?? "") < (right.name ?? "") ? -1 : 1

const NO_IMAGES: StaticStatus["images"] = []

/**
 * Computes the constant part of the status of a kubelet on this machine. Upstream: pkg/kubelet/nodestatus/setters.go.
 */
export const staticStatus = (
  machine: Machine,
  config: KubeletConfig,
  release: Release = defaultRelease
): StaticStatus => {
  const { images, runtimeHandlers, supplementalGroupsPolicy = true, unreadable, volumesInUse } = machine
  const declared = declaredFeatures(config, release)
  return {
    resources: resourcesOf(machine, config),
    addresses: machineAddresses(machine, config),
    daemonEndpoints: { kubeletEndpoint: { Port: machine.kubeletPort ?? config.port } },
    nodeInfo: nodeInfoOf(machine, config, release),
    images: unreadable?.includes("images") === true ? NO_IMAGES : reportedImages(images, config.nodeStatusMaxImages),
    ...(runtimeHandlers === undefined ? {} : { runtimeHandlers: runtimeHandlers.toSorted(byName) }),
    ...(config.featureGates.SupplementalGroupsPolicy ? { features: { supplementalGroupsPolicy } } : {}),
    ...(volumesInUse === undefined ? {} : { volumesInUse }),
    ...(declared === undefined ? {} : { declaredFeatures: declared })
  }
}

/** Prepares a machine and its configuration for the setters. */
export const nodeSetting = (machine: Machine, config: KubeletConfig, release: Release): NodeSetting => ({
  machine,
  config,
  release,
  fixed: staticStatus(machine, config, release)
})
