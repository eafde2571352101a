import type { Endpoint, Service } from "@rollcall/api"

/**
 * The zone or node hints of an endpoint, by the service's `trafficDistribution`: its zone, or its node first. Only
 * ready endpoints have hints. Upstream: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
 */
export const hintsFor = (
  { spec }: Service,
  { conditions, nodeName, zone }: Pick<Endpoint, "conditions" | "nodeName" | "zone">
): Endpoint["hints"] => {
  if (conditions?.ready !== true) return undefined
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const forNodes = nodeName === undefined ? {} : { forNodes: [{ name: nodeName }] }
  const hints =
    spec?.trafficDistribution === "PreferSameNode"
      ? { ...forZones, ...forNodes }
      : spec?.trafficDistribution === "PreferSameZone" || spec?.trafficDistribution === "PreferClose"
        ? forZones
        : {}
  return Object.keys(hints).length === 0 ? undefined : hints
}
