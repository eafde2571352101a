import { memberOf } from "../memberOf.ts"
import type { ResourceRequirements } from "../objects/Container.ts"
import type { PodSpec } from "../objects/Pod.ts"
import { podLimits, podRequests } from "../PodResources.ts"
import { canonicalQuantity, compareQuantity, formatQuantity } from "../quantity/Quantity.ts"
import { sortedEntries } from "../sortedEntries.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateResourceRequirements } from "./resources.ts"

/** Upstream: pkg/apis/core/validation/validation.go, validatePodResources and validatePodResourceConsistency. */

/** Compares what a pod asks for as a whole with what its containers ask for. */
const checkConsistency = (errors: ErrorList, spec: PodSpec, own: ResourceRequirements, path: string): void => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec } as const
  const options = { skipPodLevelResources: true, excludeOverhead: true }
  for (const [name, sum] of sortedEntries(podRequests(pod, options))) {
    const given = memberOf(own.requests, name)
    if (given === undefined || compareQuantity(sum, given) <= 0) continue
    const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`
    errors.invalid(`${path}.requests[${name}]`, canonicalQuantity(given), detail)
  }
  for (const [name, sum] of sortedEntries(podLimits(pod, options))) {
    const given = memberOf(own.limits, name)
    if (!name.startsWith("hugepages-") || given === undefined || compareQuantity(sum, given) <= 0) continue
    const detail = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`
    errors.invalid(`${path}.limits[${name}]`, canonicalQuantity(given), detail)
  }
  spec.containers?.forEach(({ resources }, index) => {
    for (const [name, limit] of sortedEntries(resources?.limits ?? {})) {
      const most = memberOf(own.limits, name)
      if (most === undefined || compareQuantity(limit, most) <= 0) continue
      const detail = `must be less than or equal to pod limits of ${canonicalQuantity(most)}`
      errors.invalid(`${path}.containers[${index}][${name}].limits`, canonicalQuantity(limit), detail)
    }
  })
}

/** Checks the resources of a pod as a whole. */
export const validatePodLevelResources = (
  errors: ErrorList,
  spec: PodSpec,
  path: string,
  claimNames: ReadonlyArray<string>
): void => {
  const { os, resources } = spec
  if (resources === undefined) return
  if (os?.name === "windows") {
    errors.forbidden(path, "may not be set for a windows pod")
    return
  }
  if (resources.claims !== undefined)
    errors.forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")
  validateResourceRequirements(errors, resources, path, "pod", claimNames)
  checkConsistency(errors, { ...spec, containers: spec.containers ?? [] }, resources, path)
}
