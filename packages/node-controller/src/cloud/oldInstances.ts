import type { Node, NodeAddress } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { CloudError, type CloudProviderShape } from "./CloudProvider.ts"

/**
 * The interface of providers before InstancesV2: look-ups by name and by provider ID.
 * Upstream: staging/src/k8s.io/cloud-provider/cloud.go Instances, Zones.
 */
export interface OldInstances {
  readonly instanceID: (name: string) => Effect.Effect<string, CloudError>
  readonly existsByProviderID: (providerID: string) => Effect.Effect<boolean, CloudError>
  readonly shutdownByProviderID: (providerID: string) => Effect.Effect<boolean, CloudError>
  readonly addressesByProviderID: (providerID: string) => Effect.Effect<ReadonlyArray<NodeAddress>, CloudError>
  readonly addresses: (name: string) => Effect.Effect<ReadonlyArray<NodeAddress>, CloudError>
  readonly typeByProviderID: (providerID: string) => Effect.Effect<string, CloudError>
  readonly type: (name: string) => Effect.Effect<string, CloudError>
  /** The zone and region of a machine; absent if the provider does not support zones. */
  readonly zone?: (
    providerID: string,
    name: string
  ) => Effect.Effect<{ readonly zone: string; readonly region: string }, CloudError>
}

const orIfNotImplemented = <A>(asked: Effect.Effect<A, CloudError>, otherwise: A) =>
  Effect.catchIf(
    asked,
    ({ reason }) => reason === "NotImplemented",
    () => Effect.succeed(otherwise)
  )

const withMessagePrefix = (prefix: string) => (error: CloudError) =>
  new CloudError({ reason: error.reason, message: `${prefix}: ${error.message}` })

/** The result of the look-up by ID, else by name; if both fail, an error with both messages. */
const byIDOrName = <A>(
  byID: Effect.Effect<A, CloudError>,
  byName: Effect.Effect<A, CloudError>,
  both: (byID: string, byName: string) => string
) =>
  Effect.catch(byID, (first) =>
    Effect.mapError(
      byName,
      ({ message }) => new CloudError({ reason: "Unknown", message: both(first.message, message) })
    )
  )

/**
 * Adapts a provider with the old interface: a machine whose ID is not found does not exist, and is not shut down
 * either. Upstream: staging/src/k8s.io/cloud-provider/{plugins.go,cloud.go} GetInstanceProviderID, and both
 * controllers.
 */
export const fromOldInstances = (name: string, old: OldInstances): CloudProviderShape => {
  const nameOf = (node: Node) => node.metadata.name ?? ""
  const providerID = (node: Node) =>
    node.spec?.providerID
      ? Effect.succeed(node.spec.providerID)
      : old.instanceID(nameOf(node)).pipe(
          Effect.map((id) => `${name}://${id}`),
          Effect.mapError((error) =>
            error.reason === "Unknown"
              ? withMessagePrefix("failed to get instance ID from cloud provider")(error)
              : error
          )
        )
  return {
    name,
    instances: {
      instanceExists: (node) =>
        Effect.matchEffect(providerID(node), {
          onSuccess: old.existsByProviderID,
          onFailure: (error) => (error.reason === "InstanceNotFound" ? Effect.succeed(false) : Effect.fail(error))
        }),
      instanceShutdown: (node) =>
        Effect.matchEffect(providerID(node), {
          onSuccess: (id) => orIfNotImplemented(old.shutdownByProviderID(id), false),
          onFailure: (error) => (error.reason === "InstanceNotFound" ? Effect.succeed(false) : Effect.fail(error))
        }),
      instanceMetadata: Effect.fnUntraced(function* (node) {
        // Without an ID the machine is looked up by name.
        const knownID = yield* orIfNotImplemented<string | undefined>(providerID(node), undefined)
        const [id, nodeName] = [knownID ?? "", nameOf(node)]
        const nodeAddresses = yield* byIDOrName(
          old.addressesByProviderID(id),
          old.addresses(nodeName),
          (byID, byName) => `error fetching node by provider ID: ${byID}, and error by node name: ${byName}`
        )
        const instanceType = yield* byIDOrName(
          old.typeByProviderID(id),
          old.type(nodeName),
          (byID, byName) => `InstanceType: Error fetching by providerID: ${byID} Error fetching by NodeName: ${byName}`
        )
        const { region, zone } =
          old.zone === undefined
            ? { region: "", zone: "" }
            : yield* Effect.mapError(
                old.zone(id, nodeName),
                withMessagePrefix("failed to get zone from cloud provider")
              )
        return { providerID: knownID, instanceType, nodeAddresses, zone, region, additionalLabels: {} }
      })
    }
  }
}
