import { compareQuantity, formatQuantity, makeQuantity, type Pod, zeroQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { type StarvedResource, signalFacts } from "./Signals.ts"
import { availableQuantity, type Observations, type Threshold, thresholdQuantity } from "./Threshold.ts"

/** The reason of an eviction, as message and as annotations of the Event. */
export interface EvictionReason {
  readonly message: string
  readonly annotations: Readonly<Record<string, string>>
}

const bytesText = (bytes: number): string => formatQuantity(makeQuantity(bytes, "BinarySI"))

/** Returns the text about the first threshold of the resource that has a reading; empty if there is none. */
const thresholdText = (
  resource: StarvedResource,
  thresholds: ReadonlyArray<Threshold>,
  observations: Observations
): string => {
  for (const { signal, value } of thresholds) {
    const reading = observations[signal]
    if (signalFacts[signal].resource !== resource || reading === undefined) continue
    const quantity = formatQuantity(thresholdQuantity(value, reading.capacity))
    return `Threshold quantity: ${quantity}, available: ${formatQuantity(availableQuantity(signal, reading))}. `
  }
  return ""
}

type ContainerUsage = NonNullable<PodUsage["containers"]>[string]

/** Returns the bytes that a container uses; undefined if they are not known. */
const containerUsed = (resource: StarvedResource, usage: ContainerUsage): number | undefined => {
  if (resource === "memory") return usage.memoryBytes
  if (resource !== "ephemeral-storage") return undefined
  const { logsBytes, rootfsBytes } = usage
  return logsBytes === undefined || rootfsBytes === undefined ? undefined : rootfsBytes + logsBytes
}

/**
 * Returns the reason of an eviction because of node pressure. The message names the containers above their request, and
 * a pod with a pod-level memory request even if it is not above that. Upstream: pkg/kubelet/eviction/helpers.go
 * evictionMessage.
 */
export const evictionReason = (
  resource: StarvedResource,
  pod: Pod,
  usage: PodUsage | undefined,
  thresholds: ReadonlyArray<Threshold>,
  observations: Observations,
  podLevelResources: boolean
): EvictionReason => {
  let message = `The node was low on resource: ${resource}. ${thresholdText(resource, thresholds, observations)}`
  if (usage === undefined) return { message, annotations: {} }
  const annotations: Record<string, string> = {}
  const { name = "" } = pod.metadata
  const podRequest = pod.spec.resources?.requests?.[resource]
  if (resource === "memory" && podLevelResources && podRequest !== undefined && usage.memoryBytes !== undefined) {
    const used = bytesText(usage.memoryBytes)
    const requestText = formatQuantity(podRequest)
    message += `Pod ${name} was using ${used}, request is ${requestText}, has larger consumption of ${resource}. `
    annotations.offending_pod = name
    annotations.offending_pod_usage = used
  }
  const offending: Array<string> = []
  const offendingUsage: Array<string> = []
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  for (const [container, containerUsage] of Object.entries(usage.containers ?? {})) {
    const spec = containers.find((candidate) => candidate.name === container)
    const bytes = containerUsed(resource, containerUsage)
    if (spec === undefined || bytes === undefined) continue
    const request = spec.resources?.requests?.[resource] ?? zeroQuantity
    if (compareQuantity(makeQuantity(bytes, "BinarySI"), request) <= 0) continue
    const used = bytesText(bytes)
    const requestText = formatQuantity(request)
    message += `Container ${container} was using ${used}, request is ${requestText}, has larger consumption of ${resource}. `
    offending.push(container)
    offendingUsage.push(used)
  }
  annotations.offending_containers = offending.join(",")
  annotations.offending_containers_usage = offendingUsage.join(",")
  annotations.starved_resource = resource
  return { message, annotations }
}
