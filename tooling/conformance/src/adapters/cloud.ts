import { annotationProvidedNodeIP, type Node, type Taint } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"
import {
  addressesToWrite,
  CloudError,
  CloudNodeController,
  CloudNodeLifecycleController,
  CloudNodes,
  CloudProvider,
  type CloudProviderShape,
  type InstanceMetadata
} from "@rollcall/node-controller"
import { fromOldInstances, isUninitialized, shutdownTaint } from "@rollcall/node-controller/rules"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { SimulatedApi, toWire } from "./nodeController/SimulatedApi.ts"

const uninitialized = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }

const failure = (reason: CloudError["reason"]) => Effect.fail(new CloudError({ reason, message: reason }))

/** Converts the response that a vector specifies: a value, or the name of an error. */
const answer = <A>(given: A | "error" | "NotImplemented" | "NotFound"): Effect.Effect<A, CloudError> => {
  switch (given) {
    case "error":
      return failure("Unknown")
    case "NotImplemented":
      return failure("NotImplemented")
    case "NotFound":
      return failure("InstanceNotFound")
    default:
      return Effect.succeed(given as A)
  }
}

const providerOf = (cloud: Json): CloudProviderShape =>
  cloud.api === "v1"
    ? fromOldInstances("p", {
        instanceID: () => answer(cloud.providerIDLookup ?? "id"),
        existsByProviderID: () => answer(cloud.exists),
        shutdownByProviderID: () => answer(cloud.shutdown),
        addressesByProviderID: () => Effect.succeed([]),
        addresses: () => Effect.succeed([]),
        typeByProviderID: () => Effect.succeed(""),
        type: () => Effect.succeed("")
      })
    : {
        name: "p",
        instances: {
          instanceExists: () => answer(cloud.exists),
          instanceShutdown: () => answer(cloud.shutdown),
          instanceMetadata: () => failure("NotImplemented")
        }
      }

const eventsOf = ({ recordedEvents }: SimulatedApi): Json =>
  recordedEvents.map(({ message, reason, type }) => ({ type, reason, message }))

const serverError = (message: string): ApiError =>
  new ApiError({ status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 500, message } })

const plainTaint = ({ effect, key, value }: Taint): Json => ({ key, ...(value === undefined ? {} : { value }), effect })

/** Returns the first taint of a list that another list lacks, or null. */
const firstMissingTaint = (taints: ReadonlyArray<Taint> = [], others: ReadonlyArray<Taint> = []): Json => {
  const missing = taints.filter(
    ({ effect, key }) => !others.some((other) => other.key === key && other.effect === effect)
  )
  return missing[0] === undefined ? null : plainTaint(missing[0])
}

/** Runs one pass of the cloud node lifecycle controller over one node. */
const lifecycle = ({ cloud, deleteError, node: { name, providerID, ready, shutdownTaint: isTainted } }: Json): Json => {
  const api = new SimulatedApi()
  let deleted = false
  api.intercept = (request) => {
    if (request.verb !== "delete" || request.kind !== "Node") return undefined
    deleted = true
    return deleteError === undefined ? undefined : Result.fail(serverError(deleteError))
  }
  const before = api.put("Node", {
    apiVersion: "v1",
    metadata: { name },
    spec: { providerID, taints: isTainted ? [shutdownTaint] : [] },
    status: { conditions: ready === null ? [] : [{ type: "Ready", status: ready }] }
  })
  const controller = CloudNodeLifecycleController.layer().pipe(Layer.provide(cloudOf(providerOf(cloud))))
  api.start(Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(controller, scope)))
  const after = api.find("Node", name)
  return {
    deleteNode: deleted,
    addTaint: firstMissingTaint(after?.spec.taints, before.spec.taints),
    removeTaint: firstMissingTaint(before.spec.taints, after?.spec.taints),
    events: eventsOf(api)
  }
}

/** The dependencies of cloud controllers, other than the informers that the simulated API starts. */
const cloudOf = (provider: CloudProviderShape) => Layer.merge(CloudNodes.shared, Layer.succeed(CloudProvider, provider))

const providedIPAnnotation = (providedNodeIP: string | undefined) =>
  providedNodeIP === undefined ? {} : { annotations: { [annotationProvidedNodeIP]: providedNodeIP } }

const addresses = ({ cloudAddresses, nodeAddresses, providedNodeIP, uninitializedTaint }: Json): Json => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", ...providedIPAnnotation(providedNodeIP) },
    spec: { taints: uninitializedTaint ? [uninitialized] : [] },
    status: { addresses: nodeAddresses }
  }
  const next = addressesToWrite(node, cloudAddresses)
  if (Result.isFailure(next)) return { update: false, error: next.failure }
  return next.success === undefined ? { update: false } : { update: true, addresses: next.success }
}

/** Runs one sync of the cloud node controller. */
const init = ({ cloud, node: given }: Json): Json => {
  const api = new SimulatedApi()
  const node = api.put("Node", {
    apiVersion: "v1",
    metadata: {
      name: "node-1",
      creationTimestamp: toWire(0),
      labels: given.labels,
      ...providedIPAnnotation(given.providedNodeIP)
    },
    spec: { providerID: given.providerID, taints: given.taints },
    status: { addresses: given.addresses }
  })
  const instances = { ...providerOf({ api: "v2" }).instances, instanceMetadata: () => metadataOf(cloud) }
  const controller = api.start(Effect.provide(CloudNodeController.make(), cloudOf({ name: "p", instances })))
  const synced = api.run(Effect.result(controller.sync("node-1")))
  api.settle()
  if (Result.isFailure(synced)) return { result: "error", error: synced.failure.message, events: eventsOf(api) }
  const { metadata, spec, status } = api.find("Node", "node-1")
  const events = eventsOf(api)
  const changed = metadata.resourceVersion !== node.metadata.resourceVersion
  if (!isUninitialized(node)) return { result: "labels-only", changed, node: { labels: metadata.labels }, events }
  if (!changed) return { result: "skipped", events }
  const { providerID, taints = [] } = spec
  return {
    result: "initialized",
    node: { labels: metadata.labels, taints, providerID, addresses: status.addresses },
    events
  }
}

const metadataOf = ({ error, metadata }: Json): Effect.Effect<InstanceMetadata | undefined, CloudError> => {
  if (error !== undefined) return Effect.fail(new CloudError({ reason: "Unknown", message: error }))
  if (metadata === null || metadata === undefined) return Effect.succeed(undefined)
  const { addresses: nodeAddresses, additionalLabels = {}, ...rest } = metadata
  return Effect.succeed({ ...rest, nodeAddresses, additionalLabels })
}

export const cloudAdapters: Adapters = {
  "cloud/lifecycle": ({ given }) => lifecycle(given),
  "cloud/node-addresses": ({ given }) => addresses(given),
  "cloud/node-init": ({ given }) => init(given)
}
