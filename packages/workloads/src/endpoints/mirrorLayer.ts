import { type EndpointSlice, type Endpoints, keyOf, type Service } from "@rollcall/api"
import { Controller, isNotFound, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { waitForObject } from "../waitForObject.ts"
import { createUnlessTerminating } from "./createUnlessTerminating.ts"
import { isMirrored, mirroring, mirrorManager } from "./mirroredSlices.ts"
import { hasSelector } from "./serviceEndpoints.ts"
import { labelManagedBy, labelServiceName, writtenSlice } from "./slices.ts"

/** `--mirroring-concurrent-service-endpoint-syncs` */
const CONCURRENT_SYNCS = 5

/** Upstream: defaultSyncBackOff, maxSyncBackOff. */
const backoff = { baseMs: 1000, maxMs: 100_000 }

/** The key of the Endpoints object that a slice mirrors. */
const mirroredBy = ({ metadata: { labels, namespace } }: EndpointSlice): string | undefined =>
  labels?.[labelManagedBy] === mirrorManager ? `${namespace}/${labels[labelServiceName]}` : undefined

const controller = Controller.make({
  name: "endpointslice-mirroring-controller",
  queue: "endpoint_slice_mirroring",
  records: "endpoint-slice-mirroring-controller",
  for: "Endpoints",
  watches: {
    Service: {
      concerns: (service, { before }) =>
        before === undefined || hasSelector(before) !== hasSelector(service) ? [keyOf(service)] : []
    },
    EndpointSlice: {
      indexes: { mirrored: mirroredBy },
      concerns: (slice) => {
        const key = mirroredBy(slice)
        return key === undefined ? [] : [key]
      }
    }
  },
  workers: CONCURRENT_SYNCS,
  backoff,
  reconcile: ({ cache, cluster, recorder }) =>
    Effect.fnUntraced(function* (key: string) {
      const { name, namespace } = splitKey(key)
      const endpoints = cache("Endpoints").find(name, namespace)
      const service = cache("Service").find(name, namespace)
      const existing = cache("EndpointSlice").byIndex("mirrored", key)
      const isWanted =
        endpoints !== undefined && isMirrored(endpoints) && service !== undefined && !hasSelector(service)
      const changes = isWanted
        ? mirroring(endpoints, existing)
        : { create: [], update: [], remove: existing, warnings: [] }
      if (endpoints !== undefined) {
        for (const [reason, message] of changes.warnings) recorder.event(endpoints, "Warning", reason, message)
      }
      const isEnding = endpoints?.metadata.deletionTimestamp !== undefined
      for (const slice of isEnding ? [] : changes.create) {
        if ((yield* createUnlessTerminating(cluster, "EndpointSlice", writtenSlice(slice))) === undefined) return
      }
      for (const slice of changes.update) yield* cluster.update("EndpointSlice", writtenSlice(slice))
      for (const { metadata } of changes.remove) {
        const address = { namespace, name: metadata.name ?? "" }
        yield* cluster.delete("EndpointSlice", address).pipe(Effect.catchIf(isNotFound, () => Effect.void))
      }
    })
})

/** The label of the Endpoints that the endpoints controller writes, for services with a selector. */
const managedLabel = "endpoints.kubernetes.io/managed-by"

const isUsers = (endpoints: Endpoints): boolean =>
  endpoints.metadata.labels?.[managedLabel] === undefined && isMirrored(endpoints)

/** Whether a service has no selector, and so what it had keeps as Endpoints; each cluster has one whose Endpoints are not mirrored. */
const isWithoutSelector = (service: Service): boolean =>
  !hasSelector(service) && keyOf(service) !== "default/kubernetes"

/**
 * Keeps EndpointSlices for the Endpoints of services without a selector, from the first such service or the first Endpoints of a user,
 * and while the layer lives. Upstream: pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go.
 */
export const layerEndpointSliceMirroring = waitForObject(["Endpoints", "Service"], controller, (object) =>
  object.kind === "Service" ? isWithoutSelector(object) : isUsers(object)
)
