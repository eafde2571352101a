import type { ResourceRequirements } from "./objects/Container.ts"
import type { Pod } from "./objects/Pod.ts"
import type { PodQOSClass, PodStatus } from "./objects/PodStatus.ts"
import type { ResourceList } from "./objects/Scalars.ts"
import type { Amount } from "./quantity/Amount.ts"
import { addQuantity, amountOf, equalQuantity, signOf } from "./quantity/Quantity.ts"

export interface QosOptions {
  /** The feature gate PodLevelResources. */
  readonly podLevelResources?: boolean
}

const resources = ["cpu", "memory"] as const
type Sums = Map<string, Amount>

/** Adds the amounts above zero and returns how many of the two resources had one. */
const accumulate = (sums: Sums, list: ResourceList | undefined): number => {
  let found = 0
  for (const name of resources) {
    const quantity = list?.[name]
    if (quantity === undefined || signOf(quantity) <= 0) continue
    found++
    const sum = sums.get(name)
    sums.set(name, sum === undefined ? amountOf(quantity) : addQuantity(sum, quantity))
  }
  return found
}

const equalSums = (requests: Sums, limits: Sums): boolean => {
  for (const [name, request] of requests) {
    const limit = limits.get(name)
    if (limit === undefined || !equalQuantity(request, limit)) return false
  }
  return requests.size === limits.size
}

/**
 * Computes the QoS class from the spec: BestEffort when no cpu or memory is requested; Guaranteed when every container
 * has both limits and the sums of requests and limits are equal; otherwise Burstable. Pod-level resources, even `{}`,
 * replace the containers'. Ephemeral containers do not count. Upstream: pkg/apis/core/v1/helper/qos/qos.go,
 * ComputePodQOS.
 */
export const computeQosClass = ({ spec }: Pick<Pod, "spec">, options: QosOptions = {}): PodQOSClass => {
  const requests: Sums = new Map()
  const limits: Sums = new Map()
  let allLimited = true
  const podLevel: ResourceRequirements | undefined = options.podLevelResources === false ? undefined : spec.resources
  if (podLevel !== undefined) {
    accumulate(requests, podLevel.requests)
    if (podLevel.limits !== undefined) allLimited = accumulate(limits, podLevel.limits) === resources.length
  } else {
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      accumulate(requests, container.resources?.requests)
      if (accumulate(limits, container.resources?.limits) < resources.length) allLimited = false
    }
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort"
  return allLimited && equalSums(requests, limits) ? "Guaranteed" : "Burstable"
}

/**
 * Returns the class that the API server recorded in the status, whatever it is, otherwise the one computed from the
 * spec. Upstream: GetPodQOS.
 */
export const qosClassOf = (
  pod: Pick<Pod, "spec" | "status">,
  options: QosOptions = {}
): NonNullable<PodStatus["qosClass"]> => pod.status?.qosClass || computeQosClass(pod, options)
