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
import { createUnlessTerminating } from "./createUnlessTerminating.ts"
import type { SliceMeters } from "./metrics.ts"
import { slicePortsInOrder } from "./portOrder.ts"
import type { ServiceMembers } from "./ServiceMembers.ts"
import { addressTypesOf, belongsToEndpoints, endpointOf, isSelecting, portsFor } from "./serviceEndpoints.ts"
import {
  type EndpointGroup,
  endpointKey,
  groupKey,
  labelManagedBy,
  labelServiceName,
  MAX_ENDPOINTS_PER_SLICE,
  type SliceChanges,
  sliceChanges,
  sliceManager,
  writtenSlice
} from "./slices.ts"
import { TriggerTimes, withTriggerTime } from "./TriggerTimes.ts"

/** What the controller needs. */
export interface EndpointSliceParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly services: Informer<"Service">
  readonly nodes: Informer<"Node">
  /** Has the index `service`. */
  readonly slices: Informer<"EndpointSlice">
  readonly members: ServiceMembers
  readonly meters: SliceMeters
  readonly queue: WorkQueue<string>
}

/** The value of the index `service`: the key of the slice's service, for slices of this controller. */
export const serviceOfSlice = ({ metadata: { labels, namespace } }: EndpointSlice): string | undefined =>
  labels?.[labelManagedBy] === sliceManager ? `${namespace}/${labels[labelServiceName]}` : undefined

/**
 * The generations that the controller wrote last, by service and by name of the slice. While the cache is older, it
 * shows endpoints that were moved to another slice since. Upstream: endpointSliceTracker.
 */
class WrittenSlices {
  private readonly generations = new Map<string, Map<string, number>>()

  recordWrite(service: string, { metadata: { generation = 1, name = "" } }: EndpointSlice): void {
    const slices = this.generations.get(service) ?? new Map<string, number>()
    this.generations.set(service, slices)
    slices.set(name, generation)
  }

  recordDeletion(service: string, { metadata: { name = "" } }: EndpointSlice): void {
    this.generations.get(service)?.delete(name)
  }

  /** Whether the cached slices are at least as new as the last writes. */
  isVisibleIn(service: string, cached: ReadonlyArray<EndpointSlice>): boolean {
    const generations = new Map(cached.map(({ metadata }) => [metadata.name ?? "", metadata.generation ?? 1]))
    for (const [name, generation] of this.generations.get(service) ?? []) {
      if ((generations.get(name) ?? 0) < generation) return false
    }
    return true
  }

  forget(service: string): void {
    this.generations.delete(service)
  }
}

// The delays of retries, and their number. Upstream: defaultSyncBackOff, maxSyncBackOff, maxRetries.
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 1_000_000
const MAX_RETRIES = 15

/** Maintains the EndpointSlices of the pods behind each service. Upstream: pkg/controller/endpointslice. */
export class EndpointSlices {
  private readonly parts: EndpointSliceParts
  private readonly writtenSlices = new WrittenSlices()
  private readonly triggers = new TriggerTimes()
  private readonly failures = new Map<string, number>()

  constructor(parts: EndpointSliceParts) {
    this.parts = parts
  }

  /** Must be called when a slice was deleted: the cache will not show it again. */
  sliceDeleted(slice: EndpointSlice): void {
    const key = serviceOfSlice(slice)
    if (key === undefined) return
    this.writtenSlices.recordDeletion(key, slice)
    this.parts.queue.add(key)
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: EndpointSlices, key: string) {
    const { members, meters, services, slices } = this.parts
    const service = services.get(key)
    // The garbage collector deletes the slices of a deleted service.
    if (service === undefined) {
      meters.forget(key)
      this.triggers.forget(key)
      this.failures.delete(key)
      return this.writtenSlices.forget(key)
    }
    if (!isSelecting(service)) return
    const existing = slices.byIndex("service", key).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    // When the cache shows the last write, the change triggers another sync.
    if (!this.writtenSlices.isVisibleIn(key, existing)) return meters.countSync("stale")
    const triggerMs = this.triggers.next(key, service, members.podsOf(key))
    const { groups, problems } = this.desiredGroups(service)
    const isOwned = ({ metadata }: EndpointSlice) => getControllerOf({ metadata })?.uid === service.metadata.uid
    const changes = sliceChanges(service, groups, existing.filter(isOwned))
    const remove = [...changes.remove, ...existing.filter((slice) => !isOwned(slice))]
    this.recordFigures(key, service, groups, existing, { ...changes, remove })
    const outcome = yield* Effect.exit(this.write(key, service, { ...changes, remove }, triggerMs))
    const text = [...problems, ...errorMessagesOf(outcome)].join(", ")
    meters.countSync(text === "" ? "success" : "error")
    if (text === "") {
      this.failures.delete(key)
      return
    }
    // Several problems in brackets, as Go prints an aggregate error.
    const message = problems.length > 1 ? `[${text}]` : text
    const eventMessage = `Error updating Endpoint Slices for Service ${key}: ${message}`
    this.parts.recorder.event(service, "Warning", "FailedToUpdateEndpointSlices", eventMessage)
    this.retryLater(key)
  })

  /**
   * Syncs the service again after a failure, with a longer backoff than other queues, and a limit. Upstream:
   * endpointslice_controller.go handleErr.
   */
  private retryLater(key: string): void {
    const failures = this.failures.get(key) ?? 0
    if (failures >= MAX_RETRIES) {
      this.failures.delete(key)
      return
    }
    this.failures.set(key, failures + 1)
    this.parts.queue.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS))
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
      const withTrigger = (slice: EndpointSlice) => ({ ...slice, metadata: withTriggerTime(slice.metadata, triggerMs) })
      // The slices of a terminating service are deleted with it, so none is created.
      const isTerminating = service.metadata.deletionTimestamp !== undefined
      for (const slice of isTerminating ? [] : create) {
        const created = yield* createUnlessTerminating(cluster, "EndpointSlice", writtenSlice(withTrigger(slice)))
        if (created === undefined) return
        this.writtenSlices.recordWrite(key, created)
        meters.countWrite("create")
      }
      for (const slice of update) {
        this.writtenSlices.recordWrite(key, yield* cluster.update("EndpointSlice", writtenSlice(withTrigger(slice))))
        meters.countWrite("update")
      }
      for (const slice of remove) {
        const { name = "", namespace } = slice.metadata
        yield* cluster.delete("EndpointSlice", { namespace, name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
        this.writtenSlices.recordDeletion(key, slice)
        meters.countWrite("delete")
      }
    }
  )

  /** Updates the metrics: how many endpoints the sync adds and removes, and how many slices it writes. */
  private recordFigures(
    key: string,
    service: Service,
    groups: ReadonlyArray<EndpointGroup>,
    existing: ReadonlyArray<EndpointSlice>,
    { create, remove, update }: SliceChanges
  ): void {
    const rewritten = new Set([...update, ...remove].map(({ metadata }) => metadata.name))
    const idsOf = (slices: ReadonlyArray<EndpointSlice>) =>
      new Set(slices.flatMap(({ endpoints = [] }) => endpoints.map(endpointKey)))
    const before = idsOf(existing.filter(({ metadata }) => rewritten.has(metadata.name)))
    const after = idsOf([...create, ...update])
    const removedCount = [...before].filter((id) => !after.has(id)).length
    const changedCount = create.length + rewritten.size
    this.parts.meters.recordSync(service, after.size - (before.size - removedCount), removedCount, changedCount)
    this.parts.meters.setFigures(key, {
      endpoints: groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
      slices: existing.length + create.length - remove.length,
      desired: groups.reduce(
        (sum, { endpoints }) => sum + Math.max(1, Math.ceil(endpoints.length / MAX_ENDPOINTS_PER_SLICE)),
        0
      )
    })
  }

  /**
   * Returns the desired endpoints, and a problem for each pod that is left out because its node does not exist: such a
   * pod may be stuck forever. A service that publishes unready addresses keeps these pods. Problems cause retries, so
   * that the pod is added once its node exists. Upstream: reconcileByAddressType.
   */
  private desiredGroups(service: Service): {
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
        const ofGroup = byPorts.get(group)
        if (ofGroup !== undefined) ofGroup.push(endpoint)
        else {
          const endpoints = [endpoint]
          byPorts.set(group, endpoints)
          groups.push({ addressType, ports: slicePortsInOrder(ports), endpoints })
        }
      }
      if (byPorts.size === 0) groups.push({ addressType, ports: [], endpoints: [] })
    }
    return { groups, problems }
  }
}

const errorMessagesOf = (outcome: Exit.Exit<void, ClusterError>): ReadonlyArray<string> => {
  const error = Exit.isFailure(outcome) ? Cause.findErrorOption(outcome.cause) : Option.none()
  return Option.isSome(error) ? [error.value.message] : []
}
