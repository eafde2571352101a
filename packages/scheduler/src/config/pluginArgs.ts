import { type NodeAffinity, parseDuration } from "@rollcall/api"
import type { PreemptionLimits } from "../Preemption.ts"
import { defaultPreemptionLimits } from "../Preemption.ts"
import { type DynamicResourcesArgs, defaultDynamicResourcesArgs } from "../plugins/DynamicResources.ts"
import { defaultInterPodAffinityArgs, type InterPodAffinityArgs } from "../plugins/InterPodAffinityScore.ts"
import type { IgnoredResources } from "../plugins/NodeResourcesFit.ts"
import type { WeightedResource } from "../plugins/ResourceUsage.ts"
import type { ScoringStrategy, UtilizationShapePoint } from "../plugins/ScoringStrategy.ts"
import { type DefaultConstraint, type SpreadDefaults, systemDefaults } from "../plugins/spreadConstraints.ts"
import { defaultVolumeBindingArgs, type VolumeBindingArgs } from "../plugins/VolumeBinding.ts"
import type { Reader } from "./Reader.ts"

/** Fields of every args object, which are accepted and ignored. */
const meta = ["apiVersion", "kind"]

/** Reads the args of one plugin, which may be absent. `path` is the place of the args, for messages. */
type ReadArgs<A> = (reader: Reader, value: unknown, path: string) => A

const readResources = (reader: Reader, value: unknown, path: string): ReadonlyArray<WeightedResource> =>
  reader.list(value, path).map((entry, index) => {
    const at = `${path}[${index}]`
    const { name, weight } = reader.object(entry, at, ["name", "weight"])
    const text = reader.text(name, `${at}.name`)
    if (text === undefined || text === "") reader.expected(`${at}.name`, name, "the name of a resource")
    return { name: text ?? "", weight: reader.integer(weight, `${at}.weight`, 1, 100) ?? 1 }
  })

const readShape = (reader: Reader, value: unknown, path: string): ReadonlyArray<UtilizationShapePoint> => {
  const shape = reader.list(value, path).map((entry, index) => {
    const at = `${path}[${index}]`
    const { score, utilization } = reader.object(entry, at, ["score", "utilization"])
    return {
      utilization: reader.integer(utilization, `${at}.utilization`, 0, 100) ?? 0,
      score: reader.integer(score, `${at}.score`, 0, 10) ?? 0
    }
  })
  if (shape.length === 0) reader.expected(path, value, "at least one point")
  shape.forEach(({ utilization }, index) => {
    const before = shape[index - 1]
    if (before !== undefined && utilization <= before.utilization) {
      reader.expected(`${path}[${index}].utilization`, utilization, `more than ${before.utilization}, as points rise`)
    }
  })
  return shape
}

const defaultResources: ReadonlyArray<WeightedResource> = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 }
]

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] as const

const readStrategy = (reader: Reader, value: unknown, path: string): ScoringStrategy | undefined => {
  if (value === undefined || value === null) return undefined
  const fields = reader.object(value, path, ["type", "resources", "requestedToCapacityRatio"])
  const type = reader.oneOf(fields.type, `${path}.type`, strategies) ?? "LeastAllocated"
  const given = readResources(reader, fields.resources, `${path}.resources`)
  const resources = given.length === 0 ? defaultResources : given
  if (type !== "RequestedToCapacityRatio") return { type, resources }
  const at = `${path}.requestedToCapacityRatio`
  const { shape } = reader.object(fields.requestedToCapacityRatio, at, ["shape"])
  return { type, resources, shape: readShape(reader, shape, `${at}.shape`) }
}

/** NodeResourcesFitArgs. */
export interface FitArgs extends IgnoredResources {
  /** Undefined if absent: LeastAllocated over cpu and memory. */
  readonly scoringStrategy: ScoringStrategy | undefined
}

const readTexts = (reader: Reader, value: unknown, path: string): ReadonlyArray<string> =>
  reader.list(value, path).flatMap((entry, index) => reader.text(entry, `${path}[${index}]`) ?? [])

export const readFitArgs: ReadArgs<FitArgs> = (reader, value, path) => {
  const known = [...meta, "ignoredResources", "ignoredResourceGroups", "scoringStrategy"]
  const args = reader.object(value, path, known)
  return {
    ignoredResources: readTexts(reader, args.ignoredResources, `${path}.ignoredResources`),
    ignoredResourceGroups: readTexts(reader, args.ignoredResourceGroups, `${path}.ignoredResourceGroups`),
    scoringStrategy: readStrategy(reader, args.scoringStrategy, `${path}.scoringStrategy`)
  }
}

/** Reads NodeResourcesBalancedAllocationArgs: the names of the resources; empty stands for cpu and memory. */
export const readBalancedArgs: ReadArgs<ReadonlyArray<string>> = (reader, value, path) => {
  const { resources } = reader.object(value, path, [...meta, "resources"])
  const read = readResources(reader, resources, `${path}.resources`)
  read.forEach(({ weight }, index) => {
    if (weight !== 1) reader.expected(`${path}.resources[${index}].weight`, weight, "1")
  })
  return read.map(({ name }) => name)
}

export const readInterPodAffinityArgs: ReadArgs<InterPodAffinityArgs> = (reader, value, path) => {
  const known = [...meta, "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"]
  const args = reader.object(value, path, known)
  const weight = reader.integer(args.hardPodAffinityWeight, `${path}.hardPodAffinityWeight`, 0, 100)
  const ignore = reader.boolean(args.ignorePreferredTermsOfExistingPods, `${path}.ignorePreferredTermsOfExistingPods`)
  return {
    hardPodAffinityWeight: weight ?? defaultInterPodAffinityArgs.hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods: ignore ?? false
  }
}

/**
 * Reads NodeAffinityArgs: the affinity that a profile adds to every pod's. An invalid term is no problem: it matches
 * nothing.
 */
export const readNodeAffinityArgs: ReadArgs<NodeAffinity | undefined> = (reader, value, path) => {
  const { addedAffinity } = reader.object(value, path, [...meta, "addedAffinity"])
  const at = `${path}.addedAffinity`
  if (addedAffinity === undefined || addedAffinity === null) return undefined
  const required = "requiredDuringSchedulingIgnoredDuringExecution"
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
  const fields = reader.object(addedAffinity, at, [required, preferred])
  const terms = reader.object(fields[required], `${at}.${required}`, ["nodeSelectorTerms"])
  reader.list(terms.nodeSelectorTerms, `${at}.${required}.nodeSelectorTerms`)
  reader.list(fields[preferred], `${at}.${preferred}`)
  return addedAffinity as NodeAffinity
}

const unsatisfiable = ["DoNotSchedule", "ScheduleAnyway"] as const

const readConstraint = (reader: Reader, entry: unknown, at: string): DefaultConstraint => {
  const known = ["topologyKey", "maxSkew", "whenUnsatisfiable"]
  const fields = reader.object(entry, at, known)
  const topologyKey = reader.text(fields.topologyKey, `${at}.topologyKey`) ?? ""
  if (topologyKey === "") reader.expected(`${at}.topologyKey`, fields.topologyKey, "the key of a label")
  const maxSkew = reader.integer(fields.maxSkew, `${at}.maxSkew`, 1)
  if (fields.maxSkew === undefined) reader.expected(`${at}.maxSkew`, fields.maxSkew, "a whole number of at least 1")
  const when = reader.oneOf(fields.whenUnsatisfiable, `${at}.whenUnsatisfiable`, unsatisfiable)
  if (fields.whenUnsatisfiable === undefined) {
    reader.expected(`${at}.whenUnsatisfiable`, fields.whenUnsatisfiable, `one of ${unsatisfiable.join(", ")}`)
  }
  return { topologyKey, maxSkew: maxSkew ?? 1, whenUnsatisfiable: when ?? "ScheduleAnyway" }
}

export const readSpreadArgs: ReadArgs<SpreadDefaults> = (reader, value, path) => {
  const args = reader.object(value, path, [...meta, "defaultConstraints", "defaultingType"])
  const type = reader.oneOf(args.defaultingType, `${path}.defaultingType`, ["System", "List"]) ?? "System"
  const at = `${path}.defaultConstraints`
  const constraints = reader.list(args.defaultConstraints, at)
  const read = constraints.map((entry, index) => readConstraint(reader, entry, `${at}[${index}]`))
  if (type === "List") return { constraints: read, needAllKeys: true }
  if (read.length > 0) reader.expected(at, args.defaultConstraints, 'none, while defaultingType is "System"')
  return systemDefaults
}

export const readVolumeBindingArgs: ReadArgs<VolumeBindingArgs> = (reader, value, path) => {
  const args = reader.object(value, path, [...meta, "bindTimeoutSeconds", "shape"])
  // `shape` is an alpha feature upstream (gate StorageCapacityScoring, disabled by default).
  if (args.shape !== undefined && args.shape !== null) reader.unsupported(`${path}.shape`)
  const seconds = reader.integer(args.bindTimeoutSeconds, `${path}.bindTimeoutSeconds`, 0)
  return { bindTimeoutSeconds: seconds ?? defaultVolumeBindingArgs.bindTimeoutSeconds }
}

const readSeconds = (reader: Reader, value: unknown, path: string, least: number): number | undefined => {
  const text = value === undefined || value === null ? undefined : reader.text(value, path)
  if (text === undefined) return undefined
  const seconds = parseDuration(text) / 1000
  if (seconds >= least) return seconds
  reader.expected(path, value, `a duration of at least ${least}s`)
  return undefined
}

/** Upstream: ValidateDynamicResourcesArgs. */
export const readDynamicResourcesArgs: ReadArgs<DynamicResourcesArgs> = (reader, value, path) => {
  const args = reader.object(value, path, [...meta, "filterTimeout", "bindingTimeout"])
  const { bindingTimeoutSeconds, filterTimeoutSeconds } = defaultDynamicResourcesArgs
  return {
    bindingTimeoutSeconds:
      readSeconds(reader, args.bindingTimeout, `${path}.bindingTimeout`, 1) ?? bindingTimeoutSeconds,
    filterTimeoutSeconds: readSeconds(reader, args.filterTimeout, `${path}.filterTimeout`, 0) ?? filterTimeoutSeconds
  }
}

export const readPreemptionArgs: ReadArgs<PreemptionLimits> = (reader, value, path) => {
  const known = [...meta, "minCandidateNodesPercentage", "minCandidateNodesAbsolute"]
  const args = reader.object(value, path, known)
  const share = reader.integer(args.minCandidateNodesPercentage, `${path}.minCandidateNodesPercentage`, 0, 100)
  const count = reader.integer(args.minCandidateNodesAbsolute, `${path}.minCandidateNodesAbsolute`, 0)
  if (share === 0 && count === 0) {
    reader.expected(`${path}.minCandidateNodesAbsolute`, 0, "more than 0, as the percentage is 0 too")
  }
  return {
    minCandidateNodesPercentage: share ?? defaultPreemptionLimits.minCandidateNodesPercentage,
    minCandidateNodesAbsolute: count ?? defaultPreemptionLimits.minCandidateNodesAbsolute
  }
}
