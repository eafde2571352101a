import { type Container, milliValue, type Pod, type QuantityLike, value } from "@rollcall/api"

type Resources = Readonly<Record<string, QuantityLike>>

/** A resource of a container as a variable or a file asks for it. */
export interface ResourceField {
  readonly containerName?: string
  readonly resource?: string
  readonly divisor?: QuantityLike
}

/** The resources whose missing limit is that of the pod, or else what the node has. */
const limited = new Set(["cpu", "memory", "ephemeral-storage"])

const isZero = (amount: QuantityLike | undefined): boolean => amount === undefined || milliValue(amount) === 0

/** Upstream: pkg/kubelet/kubelet_resources.go defaultPodLimitsForDownwardAPI. */
const defaultLimit = (
  { resources }: Pick<Pod["spec"], "resources">,
  allocatable: Resources,
  name: string
): QuantityLike | undefined => {
  if (!limited.has(name)) return undefined
  const ofPod = name === "ephemeral-storage" ? undefined : resources?.limits?.[name]
  return isZero(ofPod) ? allocatable[name] : ofPod
}

/**
 * Returns a request or a limit in units of its divisor, rounded up. Upstream: pkg/api/v1/resource/helpers.go,
 * ExtractContainerResourceValue.
 */
export const resourceFieldOf = (
  { spec }: Pod,
  own: Partial<Container>,
  { containerName, divisor, resource = "" }: ResourceField,
  allocatable: Resources
): string | undefined => {
  const [, list, name = ""] = /^(limits|requests)\.(.+)$/.exec(resource) ?? []
  if (list === undefined) return undefined
  const all = [...spec.containers, ...(spec.initContainers ?? [])]
  const container = containerName === undefined ? own : (all.find((each) => each.name === containerName) ?? {})
  const given: Resources = (list === "limits" ? container.resources?.limits : container.resources?.requests) ?? {}
  const isLimit = list === "limits" && isZero(given[name])
  const amount = (isLimit ? defaultLimit(spec, allocatable, name) : undefined) ?? given[name] ?? 0
  const unit = divisor === undefined || value(divisor) === 0 ? 1 : divisor
  const inUnits = name === "cpu" ? milliValue(amount) / milliValue(unit) : value(amount) / value(unit)
  return String(Math.ceil(inUnits))
}
