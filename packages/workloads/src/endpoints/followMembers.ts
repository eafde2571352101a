import { keyOf, type Pod, type Service } from "@rollcall/api"
import { Informer, type WorkQueue } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { ServiceMembers } from "./ServiceMembers.ts"

const byNamespace = ({ metadata }: Pod): string | undefined => metadata.namespace

/** Follows which pods each service selects, and queues the services for which that changes or a pod of theirs does. */
export const followMembers = Effect.fnUntraced(function* (queue: WorkQueue<string>) {
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
