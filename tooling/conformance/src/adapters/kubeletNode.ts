import { canonicalQuantity, defaultRelease, formatQuantity, type Node, type ResourceList } from "@rollcall/api"
import {
  healthyObservation,
  kubeletConfig,
  type Machine,
  makeModelledHost,
  nodeSetting,
  recordReboot
} from "@rollcall/kubelet"
import {
  addressesFor,
  computeNode,
  machineReservation,
  measuredCapacity,
  overReserved,
  ownAddresses,
  withProvidedIP
} from "@rollcall/kubelet/rules"
import type { Adapters, Json } from "../Adapter.ts"

const addresses = (given: Json): Json => {
  const { externalCloudProvider, hostname, invalidIPs = {}, node, nodeIPs } = given
  const route = given.resolveError === undefined ? { address: given.defaultGatewayIP } : { error: given.resolveError }
  const ownFound = ownAddresses({
    nodeName: "node1",
    hostname,
    nodeIPs,
    externalCloudProvider,
    invalid: (address) => invalidIPs[address],
    lookup: [],
    defaultRoute: { 4: route, 6: route }
  })
  const set = addressesFor(node.status?.addresses, ownFound, externalCloudProvider)
  return {
    addresses: set.addresses ?? [],
    annotations: withProvidedIP(node.metadata?.annotations, ownFound) ?? {},
    ...(set.error === undefined ? {} : { error: set.error })
  }
}

const canonical = (resources: ResourceList | undefined): Json =>
  Object.fromEntries(Object.entries(resources ?? {}).map(([name, amount]) => [name, canonicalQuantity(amount)]))

const machineOf = (given: Json): Machine => {
  const { machineInfo: info } = given
  const capacity = {
    ...(info === null
      ? {}
      : measuredCapacity({
          cores: info.numCores,
          memoryBytes: info.memoryBytes,
          hugePages: info.hugePages.map((size: Json) => ({ pageSizeKiB: size.pageSizeKiB, pages: size.numPages }))
        })),
    ...(given.ephemeralStorageCapacity === undefined ? {} : { "ephemeral-storage": given.ephemeralStorageCapacity })
  }
  return {
    ...makeModelledHost({ name: "n1", capacity }).machine(),
    machineID: info?.machineID ?? "",
    systemUUID: info?.systemUUID ?? "",
    bootID: info?.bootID ?? "",
    swapBytes: info?.swapBytes ?? 0,
    devices: {
      capacity: given.devicePluginCapacity ?? {},
      allocatable: given.devicePluginAllocatable ?? {},
      removed: given.removedDevicePlugins ?? []
    },
    ...(info === null ? { unreadable: ["info"] } : {})
  }
}

const machineInfo = (given: Json): Json => {
  const machine = machineOf(given)
  const config = kubeletConfig({
    maxPods: given.maxPods,
    podsPerCore: given.podsPerCore ?? 0,
    localStorageCapacityIsolation: given.localStorageCapacityIsolation ?? true,
    systemReserved: given.systemReserved ?? {},
    kubeReserved: given.kubeReserved ?? {},
    evictionHard: given.evictionHard ?? {}
  })
  const read: Node = { apiVersion: "v1", kind: "Node", metadata: {}, ...given.node }
  const setting = nodeSetting(machine, config, defaultRelease)
  const { node } = computeNode(read, setting, healthyObservation, "2026-01-01T00:00:00Z")
  const events: Array<string> = []
  const recorder = {
    event: (_about: Json, type: string, reason: string, message: string) => {
      events.push(`${type} ${reason} ${message}`)
    }
  }
  recordReboot(recorder, "n1", read, node)
  const { allocatable, capacity, nodeInfo } = node.status ?? {}
  const result = { capacity: canonical(capacity), allocatable: canonical(allocatable), events }
  if (given.machineInfo === null) return result
  return {
    ...result,
    nodeInfo: { machineID: nodeInfo?.machineID, systemUUID: nodeInfo?.systemUUID, bootID: nodeInfo?.bootID },
    ...(nodeInfo?.swap === undefined ? {} : { swapCapacityBytes: nodeInfo.swap.capacity }),
    reservation: Object.fromEntries(
      Object.entries(machineReservation(machine, config)).map(([name, amount]) => [name, formatQuantity(amount)])
    ),
    startupRejectedResources: overReserved(machine, config)
  }
}

export const kubeletNodeAdapters: Adapters = {
  "kubelet/node-address": ({ given }) => addresses(given),
  "kubelet/allocatable": ({ given }) => machineInfo(given)
}
