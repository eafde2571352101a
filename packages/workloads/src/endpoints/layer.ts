import { keyOf } from "@rollcall/api"
import { type Cluster, type ClusterError, Controller, isNotFound } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { awaitOwnWrites } from "../consistency/awaitOwnWrites.ts"
import { waitForObject } from "../waitForObject.ts"
import { createUnlessTerminating } from "./createUnlessTerminating.ts"
import { EndpointSlices, serviceOfSlice } from "./EndpointSlices.ts"
import { followMembers, memberIndexes } from "./followMembers.ts"
import { SliceMeters } from "./metrics.ts"
import { isSelecting } from "./serviceEndpoints.ts"
import { areCurrent, endpointsOf } from "./subsets.ts"
import { TriggerTimes, withTriggerTime } from "./TriggerTimes.ts"

/** `--concurrent-service-endpoint-syncs` */
const CONCURRENT_SYNCS = 5

/**
 * Starts the controller once a service with a selector exists. The service `kubernetes`, which every cluster has, has
 * none.
 */
const startWithSelector = (controller: Layer.Layer<never, never, Cluster | Timers>) =>
  waitForObject("Service", controller, isSelecting)

/** Maintains the slices of all services with a selector while the layer lives, through the Cluster in context. */
export const layerEndpointSlices = startWithSelector(
  Controller.make({
    name: "endpointslice-controller",
    queue: "endpoint_slice",
    records: "endpoint-slice-controller",
    for: "Service",
    watches: {
      Pod: { indexes: memberIndexes },
      // What changes on a node shows when a pod or the service changes next.
      Node: { ignoresHeartbeats: true },
      EndpointSlice: {
        indexes: { service: serviceOfSlice },
        concerns: (slice, { isDeleted }) => {
          const service = isDeleted ? undefined : serviceOfSlice(slice)
          return service === undefined ? [] : [service]
        }
      }
    },
    workers: CONCURRENT_SYNCS,
    reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder }) {
      const services = cache("Service")
      const slices = cache("EndpointSlice")
      const members = followMembers({ pods: cache("Pod"), services, queue })
      const meters = new SliceMeters(yield* Effect.context<never>())
      const nodes = cache("Node")
      const controller = new EndpointSlices({ cluster, recorder, services, nodes, slices, members, meters, queue })
      slices.addHandler({ onDelete: (slice) => controller.sliceDeleted(slice) })
      return (key: string) => controller.sync(key)
    })
  })
)

/**
 * Maintains the Endpoints of all services with a selector, for clients that still read them, through the Cluster in
 * context.
 */
export const layerEndpoints = startWithSelector(
  Controller.make({
    name: "endpoints-controller",
    queue: "endpoint",
    records: "endpoint-controller",
    for: "Service",
    watches: {
      Pod: { indexes: memberIndexes },
      Endpoints: { concerns: (endpoints, { isDeleted }) => (isDeleted ? [keyOf(endpoints)] : []) }
    },
    workers: CONCURRENT_SYNCS,
    // Upstream logs these at level 2.
    onError: (service: string, { message }: { readonly message: string }) =>
      Effect.logDebug("Error syncing endpoints, retrying").pipe(Effect.annotateLogs({ service, err: message })),
    reconcile: ({ cache, queue, recorder, ...parts }) => {
      const { cluster, once } = awaitOwnWrites({ ...parts, cache, queue, kinds: ["Endpoints"] })
      const services = cache("Service")
      const cachedEndpoints = cache("Endpoints")
      const members = followMembers({ pods: cache("Pod"), services, queue })
      const triggers = new TriggerTimes()
      const sync = Effect.fnUntraced(function* (key: string): Effect.fn.Return<void, ClusterError> {
        const service = services.get(key)
        const current = cachedEndpoints.get(key)
        if (service === undefined) {
          triggers.forget(key)
          if (current === undefined) return
          const { name = "", namespace } = current.metadata
          return yield* cluster.delete("Endpoints", { namespace, name }).pipe(
            Effect.catchIf(isNotFound, () => Effect.void),
            Effect.asVoid
          )
        }
        if (!isSelecting(service)) return
        const triggerMs = triggers.next(key, service, members.podsOf(key))
        const desired = endpointsOf(service, members.podsOf(key))
        if (current !== undefined && areCurrent(current, desired, service)) return
        const metadata = withTriggerTime({ ...current?.metadata, ...desired.metadata }, triggerMs)
        const write =
          current === undefined
            ? createUnlessTerminating(cluster, "Endpoints", { ...desired, metadata })
            : cluster.update("Endpoints", { ...desired, metadata })
        yield* write.pipe(
          Effect.tapError(({ message }) =>
            Effect.sync(() => {
              const verb = current === undefined ? "create" : "update"
              const reason = current === undefined ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint"
              const what = current === undefined ? `endpoint for service ${key}` : `endpoint ${key}`
              // What is not created has no namespace yet: its Event is in `default`.
              const { namespace: _, ...unnamed } = metadata
              const object = current ?? { ...desired, metadata: unnamed }
              recorder.event(object, "Warning", reason, `Failed to ${verb} ${what}: ${message}`)
            })
          )
        )
      })
      return once(sync)
    }
  })
)
