import type { ServiceSpec } from "@rollcall/api"

/* The two fields for the cluster IPs of services: clusterIP is the first of clusterIPs. */

const isUnset = (text: string | undefined): boolean => text === undefined || text === ""

export const sameTexts = (left: ReadonlyArray<string> = [], right: ReadonlyArray<string> = []): boolean =>
  left.length === right.length && left.every((text, index) => text === right[index])

/** Whether both have the same addresses, in the same order. */
export const sameClusterIPs = (left: ServiceSpec, right: ServiceSpec): boolean =>
  sameTexts(left.clusterIPs, right.clusterIPs)

/**
 * Returns a spec of which clusterIP and clusterIPs agree, where the caller set only one of them. Upstream: storage.go,
 * normalizeClusterIPs.
 */
export const withAgreeingIPs = (spec: ServiceSpec, old?: ServiceSpec): ServiceSpec => {
  const { clusterIP, clusterIPs = [] } = spec
  if (old === undefined) {
    return isUnset(clusterIP) || clusterIPs.length > 0 ? spec : { ...spec, clusterIPs: [clusterIP ?? ""] }
  }
  if ((old.clusterIP ?? "") === (clusterIP ?? "")) {
    return clusterIPs.length === 0 && old.clusterIPs !== undefined ? { ...spec, clusterIPs: old.clusterIPs } : spec
  }
  if (!sameClusterIPs(spec, old)) return spec
  if (!isUnset(clusterIP)) return { ...spec, clusterIPs: [clusterIP ?? ""] }
  const { clusterIPs: _, ...cleared } = spec
  return cleared
}
