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
import { leftOf, nodeReservation, podCapacity, type Reservations } from "./Allocatable.ts"
import { isExtendedResource, isHugePages } from "./ResourceNames.ts"

export type MachineResources = Required<Pick<NodeStatus, "allocatable" | "capacity">>

/** The inputs from a machine and its configuration. */
type ResourceFacts = Pick<Machine, "allocatable" | "capacity" | "devices" | "unreadable">
type ResourceConfig = Pick<
  KubeletConfig,
  "evictionHard" | "kubeReserved" | "localStorageCapacityIsolation" | "maxPods" | "podsPerCore" | "systemReserved"
>

const DEFAULT_MAX_PODS = 110

/** The machine's own resources that the kubelet considers. */
const measured = (
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
    ...measured(machine, config),
    pods: podCapacity(capacity.cpu, maxPods, config.podsPerCore),
    ...devices?.capacity,
    // Zero, not absent: this distinguishes a device plugin's resource from a cluster-level one.
    ...Object.fromEntries((devices?.removed ?? []).map((name) => [name, "0"]))
  }
}

/** All huge pages of a list: they are taken from memory whether pods use them or not. */
const hugePagesIn = (capacity: ResourceList): QuantityLike | undefined => {
  let sum: QuantityLike | undefined
  for (const [name, amount] of Object.entries(capacity)) {
    if (isHugePages(name)) sum = sum === undefined ? amount : addQuantity(sum, amount)
  }
  return sum
}

/**
 * Capacity and allocatable of a Node: entries of other writers are kept, unless they are extended resources that are
 * no longer in the capacity. Upstream: pkg/kubelet/nodestatus/setters.go MachineInfo.
 */
export const machineResources = (
  held: Pick<NodeStatus, "allocatable" | "capacity">,
  machine: ResourceFacts,
  config: ResourceConfig
): MachineResources => {
  const own = ownCapacity(machine, config)
  const capacity = { ...held.capacity, ...own }
  const allocatable: Record<string, string | number> = {}
  for (const [name, amount] of Object.entries(held.allocatable ?? {})) {
    if (capacity[name] !== undefined || !isExtendedResource(name)) allocatable[name] = amount
  }
  const reserved = machineReservation(machine, config)
  for (const [name, amount] of Object.entries(capacity)) {
    // A machine with explicit allocatable resources needs no computation.
    if (machine.allocatable !== undefined && own[name] !== undefined) continue
    allocatable[name] = leftOf(amount, reserved[name])
  }
  Object.assign(allocatable, machine.devices?.allocatable)
  if (machine.allocatable === undefined && allocatable.memory !== undefined) {
    allocatable.memory = leftOf(allocatable.memory, hugePagesIn(capacity))
  }
  return { capacity, allocatable: { ...allocatable, ...machine.allocatable } }
}

type Dividing = Pick<ResourceConfig, "localStorageCapacityIsolation"> & Reservations

/** System, kube and hard eviction reservation of a machine together, by resource. */
export const machineReservation = (
  machine: Pick<Machine, "capacity">,
  config: Dividing
): Readonly<Record<string, Amount>> => nodeReservation(measured(machine, config), config)

/** Resources whose reservation exceeds the capacity, by name. */
export const overReserved = (machine: Pick<Machine, "capacity">, config: Dividing): ReadonlyArray<string> =>
  Object.entries(machineReservation(machine, config))
    .filter(([name, reserved]) => compareQuantity(reserved, machine.capacity[name] ?? "0") > 0)
    .map(([name]) => name)
    .sort()

/**
 * Why a kubelet does not start on this machine: the reservation exceeds the capacity. Undefined: it starts.
 * Upstream: pkg/kubelet/cm/node_container_manager_linux.go validateNodeAllocatable.
 */
export const reservationStartProblem = (machine: Pick<Machine, "capacity">, config: Dividing): string | undefined => {
  const reserved = machineReservation(machine, config)
  const told = overReserved(machine, config).map((name) => {
    const [reservation, capacity] = [reserved[name] ?? "0", machine.capacity[name] ?? "0"].map(formatQuantity)
    return `Resource "${name}" has a reservation of ${reservation} but capacity of ${capacity}. Expected capacity >= reservation.`
  })
  return told.length === 0 ? undefined : `invalid Node Allocatable configuration. ${told.join(" ")}`
}

const bytes = (amount: number): string => formatQuantity(makeQuantity(amount, "BinarySI"))

/** The measured resources of a machine. */
export interface MeasuredMachine {
  readonly cores: number
  readonly memoryBytes: number
  readonly hugePages: ReadonlyArray<{ readonly pageSizeKiB: number; readonly pages: number }>
}

/**
 * As a Node's capacity; includes huge page sizes without pages. Upstream: pkg/kubelet/cadvisor/util.go
 * CapacityFromMachineInfo.
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
