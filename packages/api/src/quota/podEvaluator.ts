import type { PodAffinityTerm, WeightedPodAffinityTerm } from "../objects/Affinity.ts"
import type { Container } from "../objects/Container.ts"
import type { Pod } from "../objects/Pod.ts"
import type { ContainerStatus } from "../objects/PodStatus.ts"
import { isPodTerminal } from "../PodPhase.ts"
import { type Amounts, podLimits, podRequests } from "../PodResources.ts"
import { qosClassOf } from "../Qos.ts"
import { amountOf, equalQuantity, type QuantityLike } from "../quantity/Quantity.ts"
import { parseTime } from "../Time.ts"
import { isExtendedResource, isNativeResource } from "../validation/resources.ts"
import { implicitPrefix } from "./deviceClasses.ts"
import { countName, type Evaluator, one, requirementAccepts, type ScopeRequirement } from "./Evaluator.ts"
import { addLists, type Quantities } from "./lists.ts"

const requests = "requests."
const hugePages = "hugepages-"
const computed = ["cpu", "memory", "ephemeral-storage"]

const names: ReadonlySet<string> = new Set([
  countName("pods"),
  "pods",
  ...computed.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
])

/** Resources that each container must specify if a quota limits them. No others are added: it was a mistake upstream. */
const mandatory: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
)

/** Whether a quota names an extended resource, which may be that of a class of devices. */
export const isExtendedForQuota = (name: string): boolean =>
  name.startsWith(requests) && (!isNativeResource(name) || name.startsWith(`${requests}${implicitPrefix}`))

const isMatching = (name: string): boolean =>
  names.has(name) ||
  name.startsWith(hugePages) ||
  name.startsWith(`${requests}${hugePages}`) ||
  isExtendedForQuota(name)

/** Returns what requests and limits use. Upstream: podComputeUsageHelper. */
const usageOf = (requested: Quantities, limits: Quantities): Amounts => {
  const used: Record<string, ReturnType<typeof amountOf>> = { pods: one }
  for (const name of computed) {
    const request = requested[name]
    const limit = limits[name]
    if (request !== undefined) used[name] = used[`${requests}${name}`] = amountOf(request)
    if (limit !== undefined) used[`limits.${name}`] = amountOf(limit)
  }
  for (const [name, request] of Object.entries(requested)) {
    if (name.startsWith(hugePages)) used[name] = used[`${requests}${name}`] = amountOf(request)
    if (isExtendedResource(name) || name.startsWith(implicitPrefix)) used[`${requests}${name}`] = amountOf(request)
  }
  return used
}

/**
 * Whether the pod still counts for its resources. One that has ended does not, nor does one that is stuck: on a lost
 * node, for example, which must not keep its owner from starting another. Upstream: QuotaV1Pod.
 */
const isCounted = (pod: Pod, now: number): boolean => {
  if (isPodTerminal(pod)) return false
  const { deletionGracePeriodSeconds, deletionTimestamp } = pod.metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
  return now <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** Whether the pod ends by itself: the scope Terminating. */
const isTerminating = ({ spec }: Pod): boolean => (spec.activeDeadlineSeconds ?? -1) >= 0

const isCrossNamespace = ({ namespaceSelector, namespaces = [] }: PodAffinityTerm): boolean =>
  namespaces.length > 0 || namespaceSelector !== undefined

const usesOtherNamespaces = ({ spec }: Pod): boolean =>
  [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(
    (affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(isCrossNamespace) === true ||
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }: WeightedPodAffinityTerm) =>
        isCrossNamespace(podAffinityTerm)
      ) === true
  )

const matchesScope = (requirement: ScopeRequirement, pod: Pod): boolean => {
  switch (requirement.scopeName) {
    case "Terminating":
      return isTerminating(pod)
    case "NotTerminating":
      return !isTerminating(pod)
    case "BestEffort":
      return qosClassOf(pod) === "BestEffort"
    case "NotBestEffort":
      return qosClassOf(pod) !== "BestEffort"
    case "PriorityClass":
      return requirementAccepts(requirement, pod.spec.priorityClassName || undefined)
    case "CrossNamespacePodAffinity":
      return usesOtherNamespaces(pod)
    default:
      return false
  }
}

const hasPodLevelResources = ({ spec }: Pod): boolean =>
  [spec.resources?.requests, spec.resources?.limits].some((list) =>
    Object.keys(list ?? {}).some((name) => name === "cpu" || name === "memory" || name.startsWith(hugePages))
  )

const missing = (limited: ReadonlyArray<string>, pod: Pod): string | undefined => {
  if (hasPodLevelResources(pod)) return undefined
  const required = limited.filter((name) => mandatory.has(name)).sort()
  const lacks = ({ resources }: Container, name: string) =>
    !Object.hasOwn(usageOf(resources?.requests ?? {}, resources?.limits ?? {}), name)
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  const parts = required.flatMap((name) => {
    const lacking = [...new Set(containers.filter((container) => lacks(container, name)).map((one) => one.name))].sort()
    return lacking.length === 0 ? [] : [`${name} for: ${lacking.join(",")}`]
  })
  return parts.length === 0 ? undefined : `must specify ${parts.join("; ")}`
}

const sameAmounts = (left: Quantities | undefined, right: Quantities | undefined): boolean => {
  const [first, second] = [Object.entries(left ?? {}), right ?? {}]
  return (
    first.length === Object.keys(second).length &&
    first.every(([name, amount]) => second[name] !== undefined && equalQuantity(amount, second[name] as QuantityLike))
  )
}

/** Whether a container of the status has other resources than before. Upstream: hasResourcesChanged. */
const haveResourcesChanged = (
  before: ReadonlyArray<ContainerStatus> | undefined,
  after: ReadonlyArray<ContainerStatus> | undefined
): boolean =>
  before !== after &&
  (before ?? []).some((old) => {
    const current = after?.find(({ name }) => name === old.name)
    return (
      current !== undefined &&
      !(
        sameAmounts(old.resources?.requests, current.resources?.requests) &&
        sameAmounts(old.resources?.limits, current.resources?.limits)
      )
    )
  })

/** Upstream: pkg/quota/v1/evaluator/core/pods.go, pkg/quota/v1/install/update_filter.go. */
export const podEvaluator: Evaluator<Pod> = {
  resource: "pods",
  handles: ({ object, oldObject, subresource, verb }) => {
    if (subresource === "resize") return verb === "update"
    if (subresource !== undefined) return false
    return verb === "create" || (oldObject !== undefined && isTerminating(oldObject) !== isTerminating(object))
  },
  matching: (given) => given.filter(isMatching),
  matchesScope,
  missing,
  usage: (pod, { now }) => {
    const counted = { [countName("pods")]: one }
    if (!isCounted(pod, now)) return counted
    const options = { useStatusResources: true, specPodLevelResources: true }
    return addLists(counted, usageOf(podRequests(pod, options), podLimits(pod, options)))
  },
  freesByUpdate: (before, pod, now) =>
    haveResourcesChanged(before.status?.containerStatuses, pod.status?.containerStatuses) ||
    haveResourcesChanged(before.status?.initContainerStatuses, pod.status?.initContainerStatuses) ||
    isTerminating(before) !== isTerminating(pod) ||
    (isCounted(before, now) && !isCounted(pod, now))
}
