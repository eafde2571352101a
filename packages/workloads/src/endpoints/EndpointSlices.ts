import { type Endpoint, type EndpointSlice, getControllerOf, keyOf, type Service } from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SliceMeters } from "./metrics.ts"
import type { ServiceMembers } from "./ServiceMembers.ts"
import { addressTypesOf, belongsToEndpoints, endpointOf, isSelecting, portsFor } from "./serviceEndpoints.ts"
import {
  type EndpointGroup,
  groupKey,
  identity,
  labelManagedBy,
  labelServiceName,
  MOST_ENDPOINTS,
  type SliceChanges,
  sliceChanges,
  sliceManager
} from "./slices.ts"
import { TriggerTimes, withTriggerTime } from "./TriggerTimes.ts"

export interface EndpointSliceParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly services: Informer<"Service">
  readonly nodes: Informer<"Node">
  /** With the index `service`. */
  readonly slices: Informer<"EndpointSlice">
  readonly members: ServiceMembers
  readonly meters: SliceMeters
  readonly queue: WorkQueue<string>
}

/** The value of the index `service`: the key of the slice's service, for slices of this controller. */
export const serviceOfSlice = ({ metadata: { labels, namespace } }: EndpointSlice): string | undefined =>
  labels?.[labelManagedBy] === sliceManager ? `${namespace}/${labels[labelServiceName]}` : undefined

/**
 * The generations of the controller's last writes: a stale cache would show endpoints that were moved since.
 * Upstream: endpointSliceTracker.
 */
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

/** Upstream: defaultSyncBackOff, maxSyncBackOff, maxRetries. */
const FIRST_RETRY_MS = 1000
const MOST_RETRY_MS = 1_000_000
const MOST_RETRIES = 15

/** Maintains the EndpointSlices of the pods behind each service. Upstream: pkg/controller/endpointslice. */
export class EndpointSlices {
  private readonly parts: EndpointSliceParts
  private readonly written = new Written()
  private readonly triggers = new TriggerTimes()
  private readonly failures = new Map<string, number>()

  constructor(parts: EndpointSliceParts) {
    this.parts = parts
  }

  /** Another client deleted a slice: stops waiting for it. */
  sliceGone(slice: EndpointSlice): void {
    const key = serviceOfSlice(slice)
    if (key === undefined) return
    this.written.removed(key, slice)
    this.parts.queue.add(key)
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: EndpointSlices, key: string) {
    const { members, meters, services, slices } = this.parts
    const service = services.get(key)
    // The slices of a deleted service are deleted as its dependents.
    if (service === undefined) {
      meters.forget(key)
      this.triggers.forget(key)
      this.failures.delete(key)
      return this.written.forget(key)
    }
    if (!isSelecting(service)) return
    const existing = slices.byIndex("service", key).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    // The cache will show the last write, and trigger another sync.
    if (!this.written.isShown(key, existing)) return meters.synced("stale")
    const triggerMs = this.triggers.next(key, service, members.podsOf(key))
    const { groups, problems } = this.groups(service)
    const isOwned = ({ metadata }: EndpointSlice) => getControllerOf({ metadata })?.uid === service.metadata.uid
    const changes = sliceChanges(service, groups, existing.filter(isOwned))
    const remove = [...changes.remove, ...existing.filter((slice) => !isOwned(slice))]
    this.measure(key, service, groups, existing, { ...changes, remove })
    const outcome = yield* Effect.exit(this.write(key, service, { ...changes, remove }, triggerMs))
    const text = [...problems, ...problemsOf(outcome)].join(", ")
    meters.synced(text === "" ? "success" : "error")
    if (text === "") {
      this.failures.delete(key)
      return
    }
    const message = problems.length > 1 ? `[${text}]` : text
    const said = `Error updating Endpoint Slices for Service ${key}: ${message}`
    this.parts.recorder.event(service, "Warning", "FailedToUpdateEndpointSlices", said)
    this.retryLater(key)
  })

  /** Retries with a longer backoff than other queues, and a limit. Upstream: endpointslice_controller.go handleErr. */
  private retryLater(key: string): void {
    const failures = this.failures.get(key) ?? 0
    if (failures >= MOST_RETRIES) {
      this.failures.delete(key)
      return
    }
    this.failures.set(key, failures + 1)
    this.parts.queue.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** failures, MOST_RETRY_MS))
  }

  private readonly write = Effect.fnUntraced(
    { self: this },
    function* (
      this: EndpointSlices,
      key: string,
      service: Service,
      { create, remove, update }: SliceChanges,
      triggerMs: number | undefined
    ) {
      const { cluster, meters } = this.parts
      const stamped = (slice: EndpointSlice) => ({ ...slice, metadata: withTriggerTime(slice.metadata, triggerMs) })
      // A terminating service's dependents are deleted with it: nothing is created.
      const isEnding = service.metadata.deletionTimestamp !== undefined
      for (const slice of isEnding ? [] : create) {
        this.written.wrote(key, yield* cluster.create("EndpointSlice", stamped(slice)))
        meters.changed("create")
      }
      for (const slice of update) {
        this.written.wrote(key, yield* cluster.update("EndpointSlice", stamped(slice)))
        meters.changed("update")
      }
      for (const slice of remove) {
        const { name = "", namespace } = slice.metadata
        yield* cluster.delete("EndpointSlice", { namespace, name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
        this.written.removed(key, slice)
        meters.changed("delete")
      }
    }
  )

  private measure(
    key: string,
    service: Service,
    groups: ReadonlyArray<EndpointGroup>,
    existing: ReadonlyArray<EndpointSlice>,
    { create, remove, update }: SliceChanges
  ): void {
    const touched = new Set([...update, ...remove].map(({ metadata }) => metadata.name))
    const idsOf = (slices: ReadonlyArray<EndpointSlice>) =>
      new Set(slices.flatMap(({ endpoints = [] }) => endpoints.map(identity)))
    const before = idsOf(existing.filter(({ metadata }) => touched.has(metadata.name)))
    const after = idsOf([...create, ...update])
    const gone = [...before].filter((id) => !after.has(id)).length
    const changed = create.length + touched.size
    this.parts.meters.moved(service, after.size - (before.size - gone), gone, changed)
    this.parts.meters.counted(key, {
      endpoints: groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
      slices: existing.length + create.length - remove.length,
      desired: groups.reduce((sum, { endpoints }) => sum + Math.max(1, Math.ceil(endpoints.length / MOST_ENDPOINTS)), 0)
    })
  }

  /**
   * The desired endpoints. A pod whose node does not exist is left out, since it may be stuck forever, unless the
   * service publishes unready addresses; its service is synced again until the node or the pod has been added or
   * deleted. Upstream: reconcileByAddressType.
   */
  private groups(service: Service): {
    readonly groups: ReadonlyArray<EndpointGroup>
    readonly problems: ReadonlyArray<string>
  } {
    const { members, nodes } = this.parts
    const key = keyOf(service)
    const problems: Array<string> = []
    const groups: Array<EndpointGroup> = []
    for (const addressType of addressTypesOf(service)) {
      const byPorts = new Map<string, Array<Endpoint>>()
      for (const pod of members.podsOf(key)) {
        if (!belongsToEndpoints(pod)) continue
        const { nodeName = "" } = pod.spec
        const node = nodes.find(nodeName)
        if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
          problems.push(`skipping Pod ${pod.metadata.name} for Service ${key}: Node ${nodeName} Not Found`)
          continue
        }
        const endpoint = endpointOf(service, pod, node, addressType)
        if (endpoint === undefined) continue
        const ports = portsFor(service, pod)
        const group = groupKey({ addressType, ports })
        const known = byPorts.get(group)
        if (known !== undefined) known.push(endpoint)
        else {
          const endpoints = [endpoint]
          byPorts.set(group, endpoints)
          groups.push({ addressType, ports, endpoints })
        }
      }
      if (byPorts.size === 0) groups.push({ addressType, ports: [], endpoints: [] })
    }
    return { groups, problems }
  }
}

const problemsOf = (outcome: Exit.Exit<void, ClusterError>): ReadonlyArray<string> => {
  const error = Exit.isFailure(outcome) ? Cause.findErrorOption(outcome.cause) : Option.none()
  return Option.isSome(error) ? [error.value.message] : []
}
