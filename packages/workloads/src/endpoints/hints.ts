import type { Endpoint, Service } from "@rollcall/api"

/**
 * For whose traffic an endpoint is, by the service's `trafficDistribution`: those of its zone, or first those of its node. Only who
 * is ready is for anybody in particular. Upstream: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
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
