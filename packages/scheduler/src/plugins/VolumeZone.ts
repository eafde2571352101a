import type { PersistentVolume } from "@rollcall/api"
import { labelRegion, labelZone } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { claimNotFound, unresolvable } from "./claims.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "VolumeZone"

const zoneMismatch = unresolvable(name, "node(s) had no available volume zone")

const betaZone = "failure-domain.beta.kubernetes.io/zone"
const betaRegion = "failure-domain.beta.kubernetes.io/region"
const topologyLabels = [betaZone, betaRegion, labelZone, labelRegion]
/** Beta label → the label that replaced it. */
const replacedBy: Readonly<Record<string, string>> = { [betaZone]: labelZone, [betaRegion]: labelRegion }

/** A volume in several zones has all of them in one label value. */
const ZONE_SEPARATOR = "__"

/** A label of a volume, and the values that a node may have for it. */
interface Topology {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** The topologies of the volume's labels. A label that contains an empty zone is ignored. */
const topologiesOf = ({ metadata }: PersistentVolume): ReadonlyArray<Topology> =>
  topologyLabels.flatMap((key) => {
    const values = metadata.labels?.[key]?.split(ZONE_SEPARATOR).map((zone) => zone.trim())
    return values === undefined || values.includes("") ? [] : [{ key, values: new Set(values) }]
  })

/** A text that changes if the topologies of the volume do. */
const topologyText = (volume: PersistentVolume): string =>
  topologiesOf(volume)
    .map(({ key, values }) => `${key}=${[...values].sort().join()}`)
    .join(" ")

/**
 * The topologies of the volumes of the pod's bound claims; or the rejection for a missing claim or volume. Unbound
 * claims do not count: VolumeBinding handles them.
 */
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

const isInTopology = ({ labels }: NodeInfo, { key, values }: Topology): boolean =>
  values.has(labels[key] ?? labels[replacedBy[key] ?? key] ?? "")

/**
 * Filters nodes outside the zones and regions of the labels of the pod's volumes. As upstream, a node without any such
 * label is feasible for all pods. Upstream: pkg/scheduler/framework/plugins/volumezone.
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
        return topologies.every((topology) => isInTopology(node, topology)) ? undefined : zoneMismatch
      }
    }
  },
  hint: orTaintChange(({ namespace, volumes }, event) => {
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
        return event.before === undefined || topologyText(event.before) !== topologyText(event.volume)
      default:
        return false
    }
  })
}
