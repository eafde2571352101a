import { type Endpoints, keyOf, type Node } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, isNotFound, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { onceThereIs } from "../onceThereIs.ts"
import { EndpointSlices, serviceOfSlice } from "./EndpointSlices.ts"
import { followMembers } from "./followMembers.ts"
import { SliceMeters } from "./metrics.ts"
import { isSelecting } from "./serviceEndpoints.ts"
import { endpointsOf, sameEndpoints } from "./subsets.ts"
import { TriggerTimes, withTriggerTime } from "./TriggerTimes.ts"

/** `--concurrent-service-endpoint-syncs` */
const CONCURRENT_SYNCS = 5

/** Both controllers at work once there is a service that selects pods: every cluster has one that does not. */
const onceSelecting = (controller: Layer.Layer<never, never, Cluster | Timers>) =>
  onceThereIs("Service", controller, isSelecting)

/** Keeps the slices of all services with a selector as long as the layer stands, through the Cluster at hand. */
export const layerEndpointSlices: Layer.Layer<never, never, Cluster | Timers> = onceSelecting(
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* Timers
      const recorder = yield* EventRecorder.make({ component: "endpoint-slice-controller" })
      const queue = yield* WorkQueue.named<string>("endpoint_slice")
      const { members, pods, services } = yield* followMembers(queue)
      const moved = (before: Node, node: Node) => {
        if (before.metadata.labels === node.metadata.labels) return
        for (const service of services.list()) queue.add(keyOf(service))
      }
      const nodes = yield* Informer.make("Node", { handlers: [{ onUpdate: moved }] })
      const meters = new SliceMeters(yield* Effect.context<never>())
      const slices = yield* Informer.make("EndpointSlice", { indexes: { service: serviceOfSlice } })
      const controller = new EndpointSlices({ cluster, recorder, services, nodes, slices, members, meters, queue })
      const look = (key: string | undefined) => key !== undefined && queue.add(key)
      slices.addHandler({
        onAdd: (slice) => look(serviceOfSlice(slice)),
        onUpdate: (_, slice) => look(serviceOfSlice(slice)),
        onDelete: (slice) => controller.sliceGone(slice)
      })
      yield* Effect.all([services.synced, pods.synced, nodes.synced, slices.synced], {
        concurrency: "unbounded",
        discard: true
      }).pipe(
        Effect.andThen(runWorkers(queue, CONCURRENT_SYNCS, (key) => controller.sync(key))),
        forkController("endpointslice-controller")
      )
    })
  )
)

/** Keeps the Endpoints of all services with a selector, for those who still read them, through the Cluster at hand. */
export const layerEndpoints: Layer.Layer<never, never, Cluster | Timers> = onceSelecting(
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* Timers
      const recorder = yield* EventRecorder.make({ component: "endpoint-controller" })
      const queue = yield* WorkQueue.named<string>("endpoint")
      const { members, pods, services } = yield* followMembers(queue)
      const look = ({ metadata: { name, namespace } }: Endpoints) => queue.add(`${namespace}/${name}`)
      const known = yield* Informer.make("Endpoints", { handlers: [{ onDelete: look }] })
      const triggers = new TriggerTimes()
      const sync = Effect.fnUntraced(function* (key: string) {
        const service = services.get(key)
        const current = known.get(key)
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
        const wanted = endpointsOf(service, members.podsOf(key))
        if (current !== undefined && sameEndpoints(current, wanted)) return
        const metadata = withTriggerTime({ ...current?.metadata, ...wanted.metadata }, triggerMs)
        const write =
          current === undefined
            ? cluster.create("Endpoints", { ...wanted, metadata })
            : cluster.update("Endpoints", { ...wanted, metadata })
        yield* write.pipe(
          Effect.tapError(({ message }) =>
            Effect.sync(() => {
              const verb = current === undefined ? "create" : "update"
              const reason = current === undefined ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint"
              recorder.event(service, "Warning", reason, `Failed to ${verb} endpoint ${key}: ${message}`)
            })
          )
        )
      })
      yield* Effect.all([services.synced, pods.synced, known.synced], { concurrency: "unbounded", discard: true }).pipe(
        Effect.andThen(runWorkers(queue, CONCURRENT_SYNCS, sync)),
        forkController("endpoints-controller")
      )
    })
  )
)
