import type { NodeAddress, ResourceList } from "@rollcall/api"
import { hashOf, hexOf } from "../internal/Chance.ts"
import type { Versions } from "../node/NodeInfo.ts"
import type { Machine, NodeHost } from "./NodeHost.ts"

export interface ModelledHostOptions {
  readonly name: string
  /** Shared by all machines of a group. Absent: 8 cores, 32Gi of memory, 100Gi of disk. */
  readonly capacity?: ResourceList
  readonly allocatable?: ResourceList
  /** Absent: an address in 10.0.0.0/8 that follows from the name. */
  readonly internalIP?: string
  readonly operatingSystem?: string
  readonly architecture?: string
  readonly versions?: Versions
}

const commonCapacity: ResourceList = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi" }

const commonVersions: Versions = {
  kernelVersion: "6.8.0-rollcall",
  osImage: "Rollcall modelled node",
  runtimeType: "containerd",
  runtimeVersion: "2.1.0"
}

const NO_IMAGES: Machine["images"] = []

const uuidOf = (text: string): string => {
  const hex = hexOf(text, 32)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

const addressOf = (name: string): string => {
  const hash = hashOf(name)
  return `10.${(hash >>> 16) & 255}.${(hash >>> 8) & 255}.${1 + ((hash & 255) % 254)}`
}

/** A machine that exists only as facts. Its identities follow from its name, so two runs show the same. */
export const makeModelledHost = (options: ModelledHostOptions): NodeHost => {
  const { name } = options
  const addresses: ReadonlyArray<NodeAddress> = [
    { type: "InternalIP", address: options.internalIP ?? addressOf(name) },
    { type: "Hostname", address: name }
  ]
  let boots = 1
  let machine: Machine = {
    capacity: options.capacity ?? commonCapacity,
    ...(options.allocatable === undefined ? {} : { allocatable: options.allocatable }),
    addresses,
    operatingSystem: options.operatingSystem ?? "linux",
    architecture: options.architecture ?? "amd64",
    machineID: hexOf(`machine ${name}`, 32),
    systemUUID: uuidOf(`system ${name}`),
    bootID: uuidOf(`boot 1 ${name}`),
    versions: options.versions ?? commonVersions,
    images: NO_IMAGES
  }
  return {
    machine: () => machine,
    booted: () => {
      boots++
      machine = { ...machine, bootID: uuidOf(`boot ${boots} ${name}`) }
    }
  }
}
