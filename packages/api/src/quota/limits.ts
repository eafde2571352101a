import type { Container } from "../objects/Container.ts"
import type { PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { Pod } from "../objects/Pod.ts"
import type { LimitRange, LimitRangeItem } from "../objects/Quota.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { podLimits, podRequests } from "../PodResources.ts"
import { amountOf, formatQuantity, milliValue, type QuantityLike, value, zeroQuantity } from "../quantity/Quantity.ts"
import type { Quantities } from "./lists.ts"

/** Upstream: plugin/pkg/admission/limitranger/admission.go. */

/** The annotation of a pod that says which resources have been set by default. */
const ANNOTATION = "kubernetes.io/limit-ranger"

interface Defaults {
  readonly requests: ResourceList
  readonly limits: ResourceList
}

const ofType = ({ spec }: LimitRange, type: LimitRangeItem["type"]): ReadonlyArray<LimitRangeItem> =>
  (spec?.limits ?? []).filter((item) => item.type === type)

const defaultsOf = (range: LimitRange): Defaults => {
  const items = ofType(range, "Container")
  return {
    requests: Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest)),
    limits: Object.assign({}, ...items.map((item) => item.default))
  }
}

/** Returns the container with the defaults that it lacks, and says so in `said`. */
const withDefaults = (container: Container, { limits, requests }: Defaults, what: string, said: Array<string>) => {
  const { resources = {} } = container
  const missing = (own: ResourceList = {}, defaults: ResourceList) =>
    Object.keys(defaults)
      .filter((name) => own[name] === undefined)
      .sort()
  const missingRequests = missing(resources.requests, requests)
  const missingLimits = missing(resources.limits, limits)
  if (missingRequests.length === 0 && missingLimits.length === 0) return container
  if (missingRequests.length > 0) said.push(`${missingRequests.join(", ")} request for ${what} ${container.name}`)
  if (missingLimits.length > 0) said.push(`${missingLimits.join(", ")} limit for ${what} ${container.name}`)
  return {
    ...container,
    resources: {
      ...resources,
      ...(missingLimits.length === 0 ? {} : { limits: { ...limits, ...resources.limits } }),
      ...(missingRequests.length === 0 ? {} : { requests: { ...requests, ...resources.requests } })
    }
  }
}

/** Returns the pod with what a LimitRange sets by default in its containers; the same pod if they lack nothing. */
export const withLimitDefaults = (pod: Pod, range: LimitRange): Pod => {
  const defaults = defaultsOf(range)
  const said: Array<string> = []
  const containers = pod.spec.containers.map((one) => withDefaults(one, defaults, "container", said))
  const initContainers = pod.spec.initContainers?.map((one) => withDefaults(one, defaults, "init container", said))
  if (said.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${said.join("; ")}` }
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...(initContainers && { initContainers }) }
  }
}

/** Above this, amounts are compared in whole units. Upstream: resource.MaxMilliValue. */
const MAX_MILLI = (2 ** 63 - 1) / 1000

/** Returns the amounts as numbers of one unit that is small enough to compare them. */
const inOneUnit = (...amounts: ReadonlyArray<QuantityLike>): ReadonlyArray<number> =>
  amounts.map(value).every((whole) => whole <= MAX_MILLI) ? amounts.map(milliValue) : amounts.map(value)

interface Resources {
  readonly requests: Quantities
  /** Undefined for claims, which have no limits of that kind. */
  readonly limits: Quantities | undefined
}

const textOf = formatQuantity

const minFault = (what: string, name: string, min: QuantityLike, { limits = {}, requests }: Resources) => {
  const start = `minimum ${name} usage per ${what} is ${textOf(min)}`
  const [request = zeroQuantity, limit = zeroQuantity] = [requests[name], limits[name]]
  const [requested = 0, limited = 0, enforced = 0] = inOneUnit(request, limit, min)
  if (requests[name] === undefined) return `${start}.  No request is specified`
  if (requested < enforced) return `${start}, but request is ${textOf(request)}`
  if (limits[name] !== undefined && limited < enforced) return `${start}, but limit is ${textOf(limit)}`
  return undefined
}

const maxFault = (what: string, name: string, max: QuantityLike, { limits, requests }: Resources) => {
  const start = `maximum ${name} usage per ${what} is ${textOf(max)}`
  const [request = zeroQuantity, limit = zeroQuantity] = [requests[name], limits?.[name]]
  const [requested = 0, limited = 0, enforced = 0] = inOneUnit(request, limit, max)
  if (limits === undefined && requests[name] === undefined) return `${start}.  No request is specified`
  if (limits !== undefined && limits[name] === undefined) return `${start}.  No limit is specified`
  if (limited > enforced) return `${start}, but limit is ${textOf(limit)}`
  if (requests[name] !== undefined && requested > enforced) return `${start}, but request is ${textOf(request)}`
  return undefined
}

const ratioFault = (what: string, name: string, max: QuantityLike, { limits = {}, requests }: Resources) => {
  const start = `${name} max limit to request ratio per ${what} is ${textOf(max)}`
  const [request = zeroQuantity, limit = zeroQuantity] = [requests[name], limits[name]]
  const [requested = 0, limited = 0] = inOneUnit(request, limit, max)
  if (requested === 0) return `${start}, but no request is specified or request is 0`
  if (limited === 0) return `${start}, but no limit is specified or limit is 0`
  const ratio = limited / requested
  const isExceeded = value(max) <= MAX_MILLI ? ratio * 1000 > milliValue(max) : ratio > value(max)
  return isExceeded ? `${start}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}

type Fault = (what: string, name: string, bound: QuantityLike, resources: Resources) => string | undefined

const faultsIn = (bounds: ResourceList | undefined, fault: Fault, what: string, resources: Resources) =>
  Object.entries(bounds ?? {}).flatMap(([name, bound]) => fault(what, name, bound, resources) ?? [])

const itemFaults = ({ max, maxLimitRequestRatio, min, type }: LimitRangeItem, resources: Resources) => [
  ...faultsIn(min, minFault, type, resources),
  ...faultsIn(max, maxFault, type, resources),
  ...faultsIn(maxLimitRequestRatio, ratioFault, type, resources)
]

const podLevel = ["cpu", "memory"]

/** Returns the sums of the containers, replaced by what the pod has as a whole; overhead does not count. */
const wholeOf = (sums: Quantities, list: ResourceList | undefined): Quantities => ({
  ...sums,
  ...Object.fromEntries(
    Object.entries(list ?? {})
      .filter(([name]) => podLevel.includes(name))
      .map(([name, amount]) => [name, amountOf(amount)])
  )
})

/** Returns why a pod breaks the constraints of a LimitRange; empty if it keeps them. */
export const podLimitFaults = (pod: Pod, range: LimitRange): ReadonlyArray<string> => {
  const { containers, initContainers = [], resources } = pod.spec
  const options = { excludeOverhead: true, skipPodLevelResources: true }
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") {
      return [...containers, ...initContainers].flatMap(({ resources: own = {} }) =>
        itemFaults(item, { requests: own.requests ?? {}, limits: own.limits ?? {} })
      )
    }
    if (item.type !== "Pod") return []
    const requests = wholeOf(podRequests(pod, options), resources?.requests)
    return itemFaults(item, { requests, limits: wholeOf(podLimits(pod, options), resources?.limits) })
  })
}

/** Returns why a claim breaks the constraints of a LimitRange; empty if it keeps them. */
export const claimLimitFaults = ({ spec }: PersistentVolumeClaim, range: LimitRange): ReadonlyArray<string> => {
  const resources = { requests: spec?.resources?.requests ?? {}, limits: undefined }
  return ofType(range, "PersistentVolumeClaim").flatMap(({ maxLimitRequestRatio: _, ...item }) =>
    itemFaults(item, resources)
  )
}
