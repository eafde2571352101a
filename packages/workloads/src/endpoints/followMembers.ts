import type { Pod, Service } from "@rollcall/api"
import type { Informer, WorkQueue } from "@rollcall/cluster"
import { ServiceMembers } from "./ServiceMembers.ts"

/** The index of pods that ServiceMembers needs. */
export const memberIndexes = { namespace: ({ metadata }: Pod): string | undefined => metadata.namespace }

interface FollowedParts {
  readonly pods: Informer<"Pod">
  readonly services: Informer<"Service">
  readonly queue: Pick<WorkQueue<string>, "add">
}

/** Follows which pods each service selects, and queues a service when that set or one of its pods changes. */
export const followMembers = ({ pods, queue, services }: FollowedParts): ServiceMembers => {
  const members = new ServiceMembers()
  const queueAll = (keys: ReadonlyArray<string>) => {
    for (const key of keys) queue.add(key)
  }
  const setService = (service: Service) =>
    members.setService(service, () => pods.byIndex("namespace", service.metadata.namespace ?? ""))
  pods.addHandler({
    onAdd: (pod) => queueAll(members.setPod(pod)),
    onUpdate: (_, pod) => queueAll(members.setPod(pod)),
    onDelete: (pod) => queueAll(members.deletePod(pod))
  })
  services.addHandler({
    onAdd: setService,
    onUpdate: (_, service) => setService(service),
    onDelete: (service) => members.deleteService(service)
  })
  return members
}
