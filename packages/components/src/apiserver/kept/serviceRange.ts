import { formatTime, type ServiceCIDR } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

const API_VERSION = "networking.k8s.io/v1"
const NAME = "kubernetes"
const CONTROLLER = "kubernetes-service-cidr-controller"

const rangeOf = (cidr: string): ServiceCIDR => ({
  apiVersion: API_VERSION,
  kind: "ServiceCIDR",
  metadata: { name: NAME },
  spec: { cidrs: [cidr] }
})

/**
 * Makes the range of the addresses of Services, and says that it is ready. Upstream:
 * pkg/controlplane/controller/defaultservicecidr.
 */
export const keepServiceRange = Effect.fnUntraced(function* (cluster: ClusterShape, cidr: string, nowMs: number) {
  yield* keepObject(cluster, "ServiceCIDR", rangeOf(cidr), (stored) => stored)
  const stored = yield* cluster.get("ServiceCIDR", { name: NAME })
  const { conditions = [] } = stored.status ?? {}
  const isGoing = stored.metadata.deletionTimestamp !== undefined
  if (isGoing || stored.spec?.cidrs?.[0] !== cidr || conditions.some(({ type }) => type === "Ready")) return
  const ready = {
    type: "Ready",
    status: "True" as const,
    lastTransitionTime: formatTime(nowMs),
    message: "Kubernetes default Service CIDR is ready"
  }
  const body = {
    apiVersion: API_VERSION,
    kind: "ServiceCIDR",
    metadata: { name: NAME },
    status: { conditions: [ready] }
  }
  yield* cluster.patch("ServiceCIDR", { name: NAME }, "apply", body, {
    subresource: "status",
    fieldManager: CONTROLLER,
    force: true
  })
})
