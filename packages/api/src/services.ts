import type { ServiceSpec } from "./objects/Service.ts"

/** What the fields of a service say about it. Upstream: pkg/api/service/util.go, pkg/apis/core/validation/validation.go. */

/** Whether the service has no cluster IP, so that its name stands for the addresses of its pods. */
export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None"

/** Whether clients outside the cluster can reach the service. */
export const isExternallyAccessible = ({ externalIPs = [], type }: ServiceSpec): boolean =>
  type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && externalIPs.length > 0)

/** Whether load balancers check by a port of its own which nodes have endpoints of the service. */
export const needsHealthCheck = ({ externalTrafficPolicy, type }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local"
