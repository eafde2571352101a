import type { NodeAddress, ResourceList } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import { draw, fnv1a, nextState, toWord } from "@rollcall/time"
import type { Versions } from "../node/NodeInfo.ts"
import type { UsageSink } from "./ModelledPodRuntime.ts"
import { ModelledResources } from "./ModelledResources.ts"
import type { HostResources, Machine, MachineInCloud, NodeHost, PodUsage } from "./NodeHost.ts"

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
  /** Absent: it has none. */
  readonly swapBytes?: number
  /** Its memory, disk and processes can run out, as seen by this clock; absent: never, and nobody looks. */
  readonly resources?: Pick<TimersShape, "now">
  /** What its cloud says of it, for a kubelet that asks by itself; undefined: that there is no such machine. */
  readonly askCloud?: () => (MachineInCloud & Pick<Machine, "addresses">) | undefined
  /** What the machine uses for itself, where its resources can run out. */
  readonly systemMemory?: string
}

/** What can be done to a machine. */
export interface HostControls extends UsageSink {
  /**
   * From now on this much is left of what an eviction signal measures, whatever uses it; undefined: what is left by what the pods
   * use. A machine whose resources never run out does not heed it.
   */
  readonly setAvailable: (signal: string, quantity: string | undefined) => void
  /** The attachable volumes that are mounted from now on. */
  readonly setVolumesInUse: (volumes: ReadonlyArray<string>) => void
}

/** A machine that exists only as facts, and what can be done to it. */
export interface ModelledHost extends NodeHost, HostControls {}

const commonCapacity: ResourceList = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi" }

const commonVersions: Versions = {
  kernelVersion: "6.8.0-rollcall",
  osImage: "Rollcall modelled node",
  runtimeType: "containerd",
  runtimeVersion: "2.1.0"
}

const NO_IMAGES: Machine["images"] = []

/** Hexadecimal digits drawn from a text: identities of modelled machines. */
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

class FactualHost implements ModelledHost {
  private readonly name: string
  private readonly limited: ModelledResources | undefined
  private boots = 1
  private facts: Machine
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
        const answer = askCloud()
        if (answer !== undefined && answer.addresses !== this.facts.addresses) {
          this.facts = { ...this.facts, addresses: answer.addresses }
        }
        return answer
      }
    }
    this.facts = {
      capacity: options.capacity ?? commonCapacity,
      ...(options.allocatable === undefined ? {} : { allocatable: options.allocatable }),
      addresses,
      operatingSystem: options.operatingSystem ?? "linux",
      architecture: options.architecture ?? "amd64",
      machineID: hexOf(`machine ${name}`, 32),
      systemUUID: uuidOf(`system ${name}`),
      bootID: uuidOf(`boot 1 ${name}`),
      versions: options.versions ?? commonVersions,
      images: NO_IMAGES,
      ...(options.swapBytes === undefined ? {} : { swapBytes: options.swapBytes })
    }
    const { resources, systemMemory = "0" } = options
    this.limited =
      resources === undefined ? undefined : new ModelledResources(resources, this.facts.capacity, systemMemory)
  }

  get resources(): HostResources | undefined {
    return this.limited
  }

  machine(): Machine {
    return this.facts
  }

  booted(): void {
    this.boots++
    this.facts = { ...this.facts, bootID: uuidOf(`boot ${this.boots} ${this.name}`) }
    this.limited?.clear()
  }

  setPodUsage(uid: string, usage: PodUsage | undefined): void {
    this.limited?.setPodUsage(uid, usage)
  }

  setAvailable(signal: string, quantity: string | undefined): void {
    this.limited?.setAvailable(signal, quantity)
  }

  setVolumesInUse(volumesInUse: ReadonlyArray<string>): void {
    this.facts = { ...this.facts, volumesInUse }
  }
}

/** Its identities follow from its name, so two runs show the same. */
export const makeModelledHost = (options: ModelledHostOptions): ModelledHost => new FactualHost(options)
