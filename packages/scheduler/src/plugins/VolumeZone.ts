import type { PersistentVolume } from "@rollcall/api"
import { labelRegion, labelZone } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { claimNotFound, unresolvable } from "./claims.ts"

const name = "VolumeZone"

const elsewhere = unresolvable(name, "node(s) had no available volume zone")

const betaZone = "failure-domain.beta.kubernetes.io/zone"
const betaRegion = "failure-domain.beta.kubernetes.io/region"
const topologyLabels = [betaZone, betaRegion, labelZone, labelRegion]
const newer: Readonly<Record<string, string>> = { [betaZone]: labelZone, [betaRegion]: labelRegion }

/** A volume in several zones has all of them in one label value. */
const ZONE_SEPARATOR = "__"

interface Topology {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** The topologies of the volume's labels. A label with an empty zone is ignored. */
const topologiesOf = ({ metadata }: PersistentVolume): ReadonlyArray<Topology> =>
  topologyLabels.flatMap((key) => {
    const values = metadata.labels?.[key]?.split(ZONE_SEPARATOR).map((zone) => zone.trim())
    return values === undefined || values.includes("") ? [] : [{ key, values: new Set(values) }]
  })

const textOf = (volume: PersistentVolume): string =>
  topologiesOf(volume)
    .map(({ key, values }) => `${key}=${[...values].sort().join()}`)
    .join(" ")

/** The topologies of the pod's bound claims; unbound ones will be bound for the selected node. */
const findTopologies = (
  { namespace }: PodInfo,
  claims: ReadonlyArray<string>,
  { volumes }: SchedulingCache
): ReadonlyArray<Topology> | Rejection => {
  const found: Array<Topology> = []
  for (const claimName of claims) {
    const claim = volumes.claim(namespace, claimName)
    if (claim === undefined) return claimNotFound(name, claimName)
    const volumeName = claim.spec?.volumeName ?? ""
    if (volumeName === "") continue
    const volume = volumes.volume(volumeName)
    if (volume === undefined) return unresolvable(name, `persistentvolume ${JSON.stringify(volumeName)} not found`)
    found.push(...topologiesOf(volume))
  }
  return found
}

const isIn = ({ labels }: NodeInfo, { key, values }: Topology): boolean =>
  values.has(labels[key] ?? labels[newer[key] ?? key] ?? "")

/**
 * Schedules pods in the zones and regions of their volumes' labels. A node without any such label is in none, and
 * feasible for all. Upstream: pkg/scheduler/framework/plugins/volumezone.
 */
export const volumeZone: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    const { claims = [] } = pod.volumes ?? {}
    if (claims.length === 0 || cache.volumes.isEmpty) return skip
    const topologies = findTopologies(pod, claims, cache)
    if ("code" in topologies) return { _tag: "Reject", rejection: topologies }
    if (topologies.length === 0) return skip
    return {
      _tag: "Check",
      check: (node) => {
        if (!topologyLabels.some((key) => node.labels[key] !== undefined)) return undefined
        return topologies.every((topology) => isIn(node, topology)) ? undefined : elsewhere
      }
    }
  },
  hint: ({ namespace, volumes }, event) => {
    switch (event._tag) {
      case "NodeAdded":
        return true
      case "NodeUpdated":
        return event.change.labels
      case "StorageClassChanged":
        return event.before === undefined && event.storageClass.volumeBindingMode === "WaitForFirstConsumer"
      case "ClaimChanged":
        return (
          event.claim.metadata.namespace === namespace &&
          volumes?.claims.includes(event.claim.metadata.name ?? "") === true
        )
      case "VolumeChanged":
        return event.before === undefined || textOf(event.before) !== textOf(event.volume)
      default:
        return false
    }
  }
}
