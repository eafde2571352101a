import { amountOf, type Container, formatAmounts, type Pod, type ResourceList, sortedEntries } from "@rollcall/api"
import type { Requirements } from "./Allocation.ts"

const canonical = (list: ResourceList): ResourceList =>
  formatAmounts(
    Object.fromEntries(
      sortedEntries(list).flatMap(([name, quantity]) => (quantity === undefined ? [] : [[name, amountOf(quantity)]]))
    )
  )

const shown = ({ claims, limits, requests }: Requirements): Requirements => ({
  ...(limits && Object.keys(limits).length > 0 ? { limits: canonical(limits) } : {}),
  ...(requests && Object.keys(requests).length > 0 ? { requests: canonical(requests) } : {}),
  ...(claims && claims.length > 0 ? { claims } : {})
})

const listed = (containers: ReadonlyArray<Container>) =>
  containers.map(({ name, resources = {} }) => ({ name, resources: shown(resources) }))

/**
 * Returns the text of an Event about a resize: the resources that the pod asks for, as JSON. Upstream:
 * pkg/kubelet/events/resize.go.
 */
export const resizeMessage = (prefix: string, { spec }: Pod, generation: number, error = ""): string => {
  const summary = JSON.stringify({
    ...(spec.initContainers && spec.initContainers.length > 0 ? { initContainers: listed(spec.initContainers) } : {}),
    containers: listed(spec.containers),
    generation,
    ...(error === "" ? {} : { error })
  })
  return `${prefix}: ${summary}`
}
