import { type Container, milliValue, type Pod, type QuantityLike, value } from "@rollcall/api"

type Resources = Readonly<Record<string, QuantityLike>>

/** A resource of a container as a variable or a file asks for it. */
export interface ResourceField {
  readonly containerName?: string
  readonly resource?: string
  readonly divisor?: QuantityLike
}

/** The resources whose missing limit is what the node has. Upstream: pkg/api/v1/resource, MergeContainerResourceLimits. */
const limitedByNode = new Set(["cpu", "memory", "ephemeral-storage"])

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
  const amount = given[name] ?? (list === "limits" && limitedByNode.has(name) ? allocatable[name] : undefined) ?? 0
  const unit = divisor === undefined || value(divisor) === 0 ? 1 : divisor
  const inUnits = name === "cpu" ? milliValue(amount) / milliValue(unit) : value(amount) / value(unit)
  return String(Math.ceil(inUnits))
}
