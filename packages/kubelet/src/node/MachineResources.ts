import {
  type Amount,
  addQuantity,
  compareQuantity,
  formatQuantity,
  makeQuantity,
  type NodeStatus,
  type QuantityLike,
  type ResourceList
} from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import { nodeReservation, podCapacity, type Reservations, subtractReserved } from "./Allocatable.ts"
import { isExtendedResource, isHugePages } from "./ResourceNames.ts"

export type MachineResources = Required<Pick<NodeStatus, "allocatable" | "capacity">>

/** The properties of a machine that determine its resources. */
type ResourceFacts = Pick<Machine, "allocatable" | "capacity" | "devices" | "unreadable">
type ResourceConfig = Pick<
  KubeletConfig,
  "evictionHard" | "kubeReserved" | "localStorageCapacityIsolation" | "maxPods" | "podsPerCore" | "systemReserved"
>

/** Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go, MaxPods. */
const DEFAULT_MAX_PODS = 110

/** The machine's capacity, without ephemeral storage if the kubelet does not manage it. */
const consideredCapacity = (
  { capacity }: Pick<Machine, "capacity">,
  { localStorageCapacityIsolation }: Pick<KubeletConfig, "localStorageCapacityIsolation">
): ResourceList => {
  if (localStorageCapacityIsolation || capacity["ephemeral-storage"] === undefined) return capacity
  const { "ephemeral-storage": _ignored, ...others } = capacity
  return others
}

const ownCapacity = (machine: ResourceFacts, config: ResourceConfig): ResourceList => {
  const { capacity, devices, unreadable } = machine
  const maxPods = config.maxPods ?? Number(capacity.pods ?? DEFAULT_MAX_PODS)
  if (unreadable?.includes("info") === true) return { cpu: "0", memory: "0", pods: String(maxPods) }
  return {
    ...consideredCapacity(machine, config),
    pods: podCapacity(capacity.cpu, maxPods, config.podsPerCore),
    ...devices?.capacity,
    // Zero, not absent: this distinguishes a device plugin's resource from a cluster-level one.
    ...Object.fromEntries((devices?.removed ?? []).map((name) => [name, "0"]))
  }
}

/** Sums all huge pages of a list, of any size. They are taken from memory whether pods use them or not. */
const hugePagesIn = (capacity: ResourceList): QuantityLike | undefined => {
  let sum: QuantityLike | undefined
  for (const [name, amount] of Object.entries(capacity)) {
    if (isHugePages(name)) sum = sum === undefined ? amount : addQuantity(sum, amount)
  }
  return sum
}

/**
 * Returns capacity and allocatable resources for a Node. Entries of other writers are kept, except for extended
 * resources that are no longer in the capacity. Upstream: pkg/kubelet/nodestatus/setters.go MachineInfo.
 */
export const machineResources = (
  current: Pick<NodeStatus, "allocatable" | "capacity">,
  machine: ResourceFacts,
  config: ResourceConfig
): MachineResources => {
  const own = ownCapacity(machine, config)
  const capacity = { ...current.capacity, ...own }
  const allocatable: Record<string, string | number> = {}
  for (const [name, amount] of Object.entries(current.allocatable ?? {})) {
    if (capacity[name] !== undefined || !isExtendedResource(name)) allocatable[name] = amount
  }
  const reserved = machineReservation(machine, config)
  for (const [name, amount] of Object.entries(capacity)) {
    // The machine says itself what is allocatable of its own resources.
    if (machine.allocatable !== undefined && own[name] !== undefined) continue
    allocatable[name] = subtractReserved(amount, reserved[name])
  }
  Object.assign(allocatable, machine.devices?.allocatable)
  if (machine.allocatable === undefined && allocatable.memory !== undefined) {
    allocatable.memory = subtractReserved(allocatable.memory, hugePagesIn(capacity))
  }
  return { capacity, allocatable: { ...allocatable, ...machine.allocatable } }
}

type ReservationConfig = Pick<ResourceConfig, "localStorageCapacityIsolation"> & Reservations

/** Returns what system, kube and hard eviction thresholds of a machine reserve together, by resource. */
export const machineReservation = (
  machine: Pick<Machine, "capacity">,
  config: ReservationConfig
): Readonly<Record<string, Amount>> => nodeReservation(consideredCapacity(machine, config), config)

/** Returns the names of the resources whose reservation exceeds the capacity, sorted. */
export const overReserved = (machine: Pick<Machine, "capacity">, config: ReservationConfig): ReadonlyArray<string> =>
  Object.entries(machineReservation(machine, config))
    .filter(([name, reserved]) => compareQuantity(reserved, machine.capacity[name] ?? "0") > 0)
    .map(([name]) => name)
    .sort()

/**
 * Returns upstream's error if a kubelet does not start on this machine because a reservation exceeds the capacity, or
 * undefined if it starts. Upstream: pkg/kubelet/cm/node_container_manager_linux.go validateNodeAllocatable.
 */
export const reservationStartProblem = (
  machine: Pick<Machine, "capacity">,
  config: ReservationConfig
): string | undefined => {
  const reserved = machineReservation(machine, config)
  const problems = overReserved(machine, config).map((name) => {
    const [reservation, capacity] = [reserved[name] ?? "0", machine.capacity[name] ?? "0"].map(formatQuantity)
    return `Resource "${name}" has a reservation of ${reservation} but capacity of ${capacity}. Expected capacity >= reservation.`
  })
  return problems.length === 0 ? undefined : `invalid Node Allocatable configuration. ${problems.join(" ")}`
}

const bytes = (amount: number): string => formatQuantity(makeQuantity(amount, "BinarySI"))

/** The measured resources of a machine. */
export interface MeasuredMachine {
  readonly cores: number
  readonly memoryBytes: number
  readonly hugePages: ReadonlyArray<{ readonly pageSizeKiB: number; readonly pages: number }>
}

/**
 * Returns measured resources as a Node's capacity. It includes huge page sizes without pages. Upstream:
 * pkg/kubelet/cadvisor/util.go CapacityFromMachineInfo.
 */
export const measuredCapacity = ({ cores, hugePages, memoryBytes }: MeasuredMachine): ResourceList => ({
  cpu: String(cores),
  memory: bytes(memoryBytes),
  ...Object.fromEntries(
    hugePages.map(({ pageSizeKiB, pages }) => [
      `hugepages-${bytes(pageSizeKiB * 1024)}`,
      bytes(pageSizeKiB * 1024 * pages)
    ])
  )
})
