import type { Pod, Service } from "@rollcall/api"
import type { Informer, WorkQueue } from "@rollcall/cluster"
import { ServiceMembers } from "./ServiceMembers.ts"

/** The index of pods by which members are found. */
export const memberIndexes = { namespace: ({ metadata }: Pod): string | undefined => metadata.namespace }

interface Followed {
  readonly pods: Informer<"Pod">
  readonly services: Informer<"Service">
  readonly queue: Pick<WorkQueue<string>, "add">
}

/** Follows which pods each service selects, and queues the services for which that changes or a pod of theirs does. */
export const followMembers = ({ pods, queue, services }: Followed): ServiceMembers => {
  const members = new ServiceMembers()
  const add = (keys: ReadonlyArray<string>) => {
    for (const key of keys) queue.add(key)
  }
  const setService = (service: Service) =>
    members.setService(service, () => pods.byIndex("namespace", service.metadata.namespace ?? ""))
  pods.addHandler({
    onAdd: (pod) => add(members.setPod(pod)),
    onUpdate: (_, pod) => add(members.setPod(pod)),
    onDelete: (pod) => add(members.deletePod(pod))
  })
  services.addHandler({
    onAdd: setService,
    onUpdate: (_, service) => setService(service),
    onDelete: (service) => members.deleteService(service)
  })
  return members
}
