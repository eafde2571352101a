import { annotationProvidedNodeIP, type Node } from "@rollcall/api"
import {
  addressesToWrite,
  CloudError,
  type CloudProviderShape,
  fromOldInstances,
  type InstanceAnswers,
  type InstanceVerdict,
  isUninitialized,
  judgeInstance,
  nodeInitializer,
  shutdownTaint,
  topologyLabelsToSet
} from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const uninitialized = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }

const failure = (reason: CloudError["reason"]) => Effect.fail(new CloudError({ reason, message: reason }))

/** What a case says that the cloud answers. */
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

const ask = <A>(asked: Effect.Effect<A, CloudError>) => Effect.runSync(Effect.result(asked))

const verdictOf = (node: Node, { instances }: CloudProviderShape): InstanceVerdict => {
  const next = (answers: InstanceAnswers): InstanceVerdict => {
    const verdict = judgeInstance(node, answers)
    if (verdict === "askExists") return next({ exists: ask(instances.instanceExists(node)) })
    if (verdict === "askShutdown") return next({ ...answers, shutdown: ask(instances.instanceShutdown(node)) })
    return verdict
  }
  return next({})
}

const lifecycle = ({ cloud, deleteError, node: { name, providerID, ready, shutdownTaint: tainted } }: Json): Json => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { providerID, taints: tainted ? [shutdownTaint] : [] },
    status: { conditions: ready === null ? [] : [{ type: "Ready", status: ready }] }
  }
  const verdict = verdictOf(node, providerOf(cloud))
  const message = `Deleting node ${name} because it does not exist in the cloud provider`
  const events = [
    { type: "Normal", reason: "DeletingNode", message },
    ...(deleteError === undefined
      ? []
      : [{ type: "Warning", reason: "DeletingNodeFailed", message: `Failed deleting node ${name}: ${deleteError}` }])
  ]
  return {
    deleteNode: verdict === "delete",
    addTaint: verdict === "addTaint" ? shutdownTaint : null,
    removeTaint: verdict === "removeTaint" ? shutdownTaint : null,
    events: verdict === "delete" ? events : []
  }
}

const annotated = (providedNodeIP: string | undefined) =>
  providedNodeIP === undefined ? {} : { annotations: { [annotationProvidedNodeIP]: providedNodeIP } }

const addresses = ({ cloudAddresses, nodeAddresses, providedNodeIP, uninitializedTaint }: Json): Json => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", ...annotated(providedNodeIP) },
    spec: { taints: uninitializedTaint ? [uninitialized] : [] },
    status: { addresses: nodeAddresses }
  }
  const next = addressesToWrite(node, cloudAddresses)
  if (Result.isFailure(next)) return { update: false, error: next.failure }
  return next.success === undefined ? { update: false } : { update: true, addresses: next.success }
}

const init = ({ cloud, node: given }: Json): Json => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1", labels: given.labels, ...annotated(given.providedNodeIP) },
    spec: { providerID: given.providerID, taints: given.taints },
    status: { addresses: given.addresses }
  }
  if (!isUninitialized(node)) {
    const labels = topologyLabelsToSet(given.labels)
    return {
      result: "labels-only",
      changed: labels !== undefined,
      node: { labels: { ...given.labels, ...labels } },
      events: []
    }
  }
  if (cloud.error !== undefined) {
    const error = `failed to get instance metadata for node node-1: ${cloud.error}`
    return { result: "error", error, events: [] }
  }
  if (cloud.metadata === null) return { result: "skipped", events: [] }
  const { addresses: nodeAddresses, additionalLabels = {}, ...metadata } = cloud.metadata
  const change = nodeInitializer(node, { ...metadata, nodeAddresses, additionalLabels })
  if (Result.isFailure(change)) return { result: "error", error: change.failure, events: [] }
  const changed = change.success(node)
  const written = Result.getOrElse(addressesToWrite(changed, nodeAddresses), () => undefined)
  return {
    result: "initialized",
    node: {
      labels: changed.metadata.labels,
      taints: changed.spec?.taints ?? [],
      providerID: changed.spec?.providerID,
      addresses: written ?? given.addresses
    },
    events: [{ type: "Normal", reason: "Synced", message: "Node synced successfully" }]
  }
}

export const cloudAdapters: Adapters = {
  "cloud/lifecycle": ({ given }) => lifecycle(given),
  "cloud/node-addresses": ({ given }) => addresses(given),
  "cloud/node-init": ({ given }) => init(given)
}
