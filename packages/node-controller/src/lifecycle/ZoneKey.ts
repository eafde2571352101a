import { labelBetaRegion, labelBetaZone, labelRegion, labelZone } from "@rollcall/api"

/** The separator between region and zone; the NUL keeps keys unambiguous, and is in upstream's metric labels too. */
const SEPARATOR = ":\u0000:"

type Labels = Readonly<Record<string, string>> | undefined

/** A beta label takes precedence, even if it is empty. */
const topologyLabel = (labels: Labels, beta: string, stable: string): string => labels?.[beta] ?? labels?.[stable] ?? ""

/**
 * The key of a node's zone, from its labels: region and zone joined, or empty without both.
 * Upstream: staging/src/k8s.io/component-helpers/node/topology/helpers.go GetZoneKey.
 */
export const zoneKeyOf = (labels: Labels): string => {
  const region = topologyLabel(labels, labelBetaRegion, labelRegion)
  const zone = topologyLabel(labels, labelBetaZone, labelZone)
  return region === "" && zone === "" ? "" : `${region}${SEPARATOR}${zone}`
}

/** Region and zone of a zone key. */
export const zoneNames = (zoneKey: string): { readonly region: string; readonly zone: string } => {
  const at = zoneKey.indexOf(SEPARATOR)
  return at < 0
    ? { region: "", zone: zoneKey }
    : { region: zoneKey.slice(0, at), zone: zoneKey.slice(at + SEPARATOR.length) }
}
