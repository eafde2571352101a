import { type EndpointSlice, keyOf, type Service } from "@rollcall/api"
import { type ClusterShape, type EventRecorder, type Informer, isNotFound, type WorkQueue } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { ServiceMembers } from "./ServiceMembers.ts"
import { addressTypesOf, belongsToEndpoints, endpointOf, isSelecting, portsFor } from "./serviceEndpoints.ts"
import { type EndpointGroup, groupKey, labelManagedBy, labelServiceName, sliceChanges, sliceManager } from "./slices.ts"

export interface EndpointSliceParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly services: Informer<"Service">
  readonly nodes: Informer<"Node">
  /** With the index `service`. */
  readonly slices: Informer<"EndpointSlice">
  readonly members: ServiceMembers
  readonly queue: WorkQueue<string>
}

/** The value of the index `service`: the key of the service whose slice it is, if it is one of this controller's. */
export const serviceOfSlice = ({ metadata: { labels, namespace } }: EndpointSlice): string | undefined =>
  labels?.[labelManagedBy] === sliceManager ? `${namespace}/${labels[labelServiceName]}` : undefined

/** Upstream reads what it wrote last by generation: a cache that is behind shows endpoints that have long been moved. */
class Written {
  private readonly generations = new Map<string, Map<string, number>>()

  wrote(service: string, { metadata: { generation = 1, name = "" } }: EndpointSlice): void {
    const slices = this.generations.get(service) ?? new Map<string, number>()
    this.generations.set(service, slices)
    slices.set(name, generation)
  }

  removed(service: string, { metadata: { name = "" } }: EndpointSlice): void {
    this.generations.get(service)?.delete(name)
  }

  isShown(service: string, shown: ReadonlyArray<EndpointSlice>): boolean {
    const generations = new Map(shown.map(({ metadata }) => [metadata.name ?? "", metadata.generation ?? 1]))
    for (const [name, generation] of this.generations.get(service) ?? []) {
      if ((generations.get(name) ?? 0) < generation) return false
    }
    return true
  }

  forget(service: string): void {
    this.generations.delete(service)
  }
}

/** Lists in slices which pods stand behind each service. Upstream: pkg/controller/endpointslice. */
export class EndpointSlices {
  private readonly parts: EndpointSliceParts
  private readonly written = new Written()

  constructor(parts: EndpointSliceParts) {
    this.parts = parts
  }

  /** Somebody removed a slice: it is not waited for. */
  sliceGone(slice: EndpointSlice): void {
    const key = serviceOfSlice(slice)
    if (key === undefined) return
    this.written.removed(key, slice)
    this.parts.queue.add(key)
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: EndpointSlices, key: string) {
    const { cluster, recorder, services, slices } = this.parts
    const service = services.get(key)
    // The slices of a service that is gone go with it, as what it owns.
    if (service === undefined) return this.written.forget(key)
    if (!isSelecting(service) || service.metadata.deletionTimestamp !== undefined) return
    const existing = slices.byIndex("service", key)
    // Its slices will show, and call for another look.
    if (!this.written.isShown(key, existing)) return
    const { create, remove, update } = sliceChanges(service, this.groups(service), existing)
    const write = Effect.gen({ self: this }, function* () {
      for (const slice of create) this.written.wrote(key, yield* cluster.create("EndpointSlice", slice))
      for (const slice of update) this.written.wrote(key, yield* cluster.update("EndpointSlice", slice))
      for (const slice of remove) {
        const { name = "", namespace } = slice.metadata
        yield* cluster.delete("EndpointSlice", { namespace, name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
        this.written.removed(key, slice)
      }
    })
    yield* write.pipe(
      Effect.tapError(({ message }) =>
        Effect.sync(() => {
          const text = `Error updating Endpoint Slices for Service ${key}: ${message}`
          recorder.event(service, "Warning", "FailedToUpdateEndpointSlices", text)
        })
      )
    )
  })

  private groups(service: Service): ReadonlyArray<EndpointGroup> {
    const { members, nodes } = this.parts
    const groups = new Map<
      string,
      { readonly group: EndpointGroup; readonly endpoints: Array<EndpointGroup["endpoints"][number]> }
    >()
    for (const addressType of addressTypesOf(service)) {
      for (const pod of members.podsOf(keyOf(service))) {
        if (!belongsToEndpoints(pod)) continue
        const endpoint = endpointOf(service, pod, nodes.find(pod.spec.nodeName ?? ""), addressType)
        if (endpoint === undefined) continue
        const ports = portsFor(service, pod)
        const key = groupKey({ addressType, ports })
        const known = groups.get(key)
        if (known !== undefined) known.endpoints.push(endpoint)
        else {
          const endpoints = [endpoint]
          groups.set(key, { group: { addressType, ports, endpoints }, endpoints })
        }
      }
    }
    if (groups.size > 0) return [...groups.values()].map(({ group }) => group)
    return addressTypesOf(service).map((addressType) => ({ addressType, ports: [], endpoints: [] }))
  }
}
