import { keyOf, type Node, type Pod, type Service } from "@rollcall/api"
import { Cluster, EventRecorder, Informer, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EndpointSlices, serviceOfSlice } from "./EndpointSlices.ts"
import { ServiceMembers } from "./ServiceMembers.ts"

/** `--concurrent-service-endpoint-syncs` */
const CONCURRENT_SYNCS = 5

const byNamespace = ({ metadata }: Pod): string | undefined => metadata.namespace

/** Follows which pods each service selects, and queues the services for which that changes or a pod of theirs does. */
const followMembers = Effect.fnUntraced(function* (queue: WorkQueue<string>) {
  const members = new ServiceMembers()
  const add = (keys: ReadonlyArray<string>) => {
    for (const key of keys) queue.add(key)
  }
  const pods = yield* Informer.make("Pod", {
    indexes: { namespace: byNamespace },
    handlers: [
      {
        onAdd: (pod) => add(members.setPod(pod)),
        onUpdate: (_, pod) => add(members.setPod(pod)),
        onDelete: (pod) => add(members.deletePod(pod))
      }
    ]
  })
  const setService = (service: Service) => {
    members.setService(service, () => pods.byIndex("namespace", service.metadata.namespace ?? ""))
    queue.add(keyOf(service))
  }
  const services = yield* Informer.make("Service", {
    handlers: [
      {
        onAdd: setService,
        onUpdate: (_, service) => setService(service),
        onDelete: (service) => {
          members.deleteService(service)
          queue.add(keyOf(service))
        }
      }
    ]
  })
  return { members, pods, services }
})

/** Keeps the slices of all services with a selector as long as the layer stands, through the Cluster at hand. */
export const layerEndpointSlices: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    yield* Timers
    const recorder = yield* EventRecorder.make({ component: "endpoint-slice-controller" })
    const queue = yield* WorkQueue.make<string>()
    const { members, pods, services } = yield* followMembers(queue)
    const moved = (before: Node, node: Node) => {
      if (before.metadata.labels === node.metadata.labels) return
      for (const service of services.list()) queue.add(keyOf(service))
    }
    const nodes = yield* Informer.make("Node", { handlers: [{ onUpdate: moved }] })
    const slices = yield* Informer.make("EndpointSlice", { indexes: { service: serviceOfSlice } })
    const controller = new EndpointSlices({ cluster, recorder, services, nodes, slices, members, queue })
    const look = (key: string | undefined) => key !== undefined && queue.add(key)
    slices.addHandler({
      onAdd: (slice) => look(serviceOfSlice(slice)),
      onUpdate: (_, slice) => look(serviceOfSlice(slice)),
      onDelete: (slice) => controller.sliceGone(slice)
    })
    yield* Effect.all([services.synced, pods.synced, nodes.synced, slices.synced], {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.andThen(runWorkers(queue, CONCURRENT_SYNCS, (key) => controller.sync(key))), Effect.forkScoped)
  })
)
