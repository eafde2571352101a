import type { NodeAddress, ResourceList } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import { draw, fnv1a, nextState, toWord } from "@rollcall/time"
import type { Versions } from "../node/NodeInfo.ts"
import { ModelledResources } from "./ModelledResources.ts"
import type { HostResources, Machine, MachineInCloud, NodeHost, PodUsage } from "./NodeHost.ts"
import type { UsageSink } from "./UsageSink.ts"

/** The properties of a modelled machine. */
export interface ModelledHostOptions {
  readonly name: string
  /** The capacity, which all machines of a group share; absent means 8 cores, 32Gi of memory and 100Gi of disk. */
  readonly capacity?: ResourceList
  readonly allocatable?: ResourceList
  /** The address; absent means one in 10.0.0.0/8 that is derived from the name. */
  readonly internalIP?: string
  /** The port of its kubelet; absent means that of the kubelet's configuration. */
  readonly kubeletPort?: number
  readonly operatingSystem?: string
  readonly architecture?: string
  readonly versions?: Versions
  /** The size of the swap; absent if there is none. */
  readonly swapBytes?: number
  /** The handlers of its container runtime besides the default one; absent if it does not report any. */
  readonly runtimeHandlers?: ReadonlyArray<string>
  /** How many processes each pod may have; absent if there is no limit. */
  readonly podPidsLimit?: number
  /** The clock for readings of memory, disk and processes; absent if these cannot run out. */
  readonly resources?: Pick<TimersShape, "now">
  /**
   * Returns the cloud's data about the machine, for a kubelet that asks for it; undefined if the cloud has no such
   * machine.
   */
  readonly askCloud?: () => (MachineInCloud & Pick<Machine, "addresses">) | undefined
  /** The quantity of memory that the machine itself uses, if its resources can run out. */
  readonly systemMemory?: string
}

/** The controls of a modelled machine. */
export interface HostControls extends UsageSink {
  /**
   * Sets the available amount of an eviction signal, regardless of usage. With undefined it is computed from the pods'
   * usage again. Has no effect on a machine whose resources cannot run out.
   */
  readonly setAvailable: (signal: string, quantity: string | undefined) => void
  /** Sets the attachable volumes that are mounted. */
  readonly setVolumesInUse: (volumes: ReadonlyArray<string>) => void
}

/** A simulated machine, with its controls. */
export interface ModelledHost extends NodeHost, HostControls {}

const commonCapacity: ResourceList = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi" }

const commonVersions: Versions = {
  kernelVersion: "6.8.0-rollcall",
  osImage: "Rollcall modelled node",
  runtimeType: "containerd",
  runtimeVersion: "2.1.0"
}

const NO_IMAGES: Machine["images"] = []

/** Returns hexadecimal digits that are derived from a text, for ids of modelled machines. */
const hexOf = (text: string, digits: number): string => {
  let out = ""
  for (let state = fnv1a(text); out.length < digits; state = nextState(state)) {
    out += toWord(draw(state)).toString(16).padStart(8, "0")
  }
  return out.slice(0, digits)
}

const uuidOf = (text: string): string => {
  const hex = hexOf(text, 32)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

const addressOf = (name: string): string => {
  const hash = fnv1a(name)
  return `10.${(hash >>> 16) & 255}.${(hash >>> 8) & 255}.${1 + ((hash & 255) % 254)}`
}

/** The handlers as a runtime with current features reports them, the default one under an empty name. */
const handlersOf = (names: ReadonlyArray<string>): NonNullable<Machine["runtimeHandlers"]> =>
  Array.from(new Set(["", ...names]), (name) => ({
    name,
    features: { recursiveReadOnlyMounts: true, userNamespaces: true }
  }))

class SimulatedHost implements ModelledHost {
  private readonly name: string
  private readonly resourceModel: ModelledResources | undefined
  private boots = 1
  private current: Machine
  readonly askCloud?: NonNullable<NodeHost["askCloud"]>

  constructor(options: ModelledHostOptions) {
    const { askCloud, name } = options
    const addresses: ReadonlyArray<NodeAddress> = [
      { type: "InternalIP", address: options.internalIP ?? addressOf(name) },
      { type: "Hostname", address: name }
    ]
    this.name = name
    if (askCloud !== undefined) {
      this.askCloud = () => {
        const machineInCloud = askCloud()
        if (machineInCloud !== undefined && machineInCloud.addresses !== this.current.addresses) {
          this.current = { ...this.current, addresses: machineInCloud.addresses }
        }
        return machineInCloud
      }
    }
    this.current = {
      capacity: options.capacity ?? commonCapacity,
      ...(options.allocatable === undefined ? {} : { allocatable: options.allocatable }),
      addresses,
      ...(options.kubeletPort === undefined ? {} : { kubeletPort: options.kubeletPort }),
      operatingSystem: options.operatingSystem ?? "linux",
      architecture: options.architecture ?? "amd64",
      machineID: hexOf(`machine ${name}`, 32),
      systemUUID: uuidOf(`system ${name}`),
      bootID: uuidOf(`boot 1 ${name}`),
      versions: options.versions ?? commonVersions,
      images: NO_IMAGES,
      ...(options.swapBytes === undefined ? {} : { swapBytes: options.swapBytes }),
      ...(options.runtimeHandlers === undefined ? {} : { runtimeHandlers: handlersOf(options.runtimeHandlers) })
    }
    const { podPidsLimit, resources, systemMemory = "0" } = options
    this.resourceModel =
      resources === undefined
        ? undefined
        : new ModelledResources(resources, this.current.capacity, systemMemory, podPidsLimit)
  }

  get resources(): HostResources | undefined {
    return this.resourceModel
  }

  machine(): Machine {
    return this.current
  }

  booted(): void {
    this.boots++
    this.current = { ...this.current, bootID: uuidOf(`boot ${this.boots} ${this.name}`) }
    this.resourceModel?.clear()
  }

  setPodUsage(uid: string, usage: PodUsage | undefined): void {
    this.resourceModel?.setPodUsage(uid, usage)
  }

  setAvailable(signal: string, quantity: string | undefined): void {
    this.resourceModel?.setAvailable(signal, quantity)
  }

  setImages(images: Machine["images"]): void {
    this.current = { ...this.current, images }
    this.resourceModel?.setImageBytes(images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  }

  setVolumesInUse(volumesInUse: ReadonlyArray<string>): void {
    this.current = { ...this.current, volumesInUse }
  }
}

/** Makes a simulated machine. Its ids are derived from its name, so that runs are reproducible. */
export const makeModelledHost = (options: ModelledHostOptions): ModelledHost => new SimulatedHost(options)
