import type { Node, NodeAddress } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { CloudError, type CloudProviderShape } from "./CloudProvider.ts"

/**
 * What providers offered before InstancesV2: look-ups by name and by provider ID.
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
  /** Absent: the provider knows no zones. */
  readonly zone?: (
    providerID: string,
    name: string
  ) => Effect.Effect<{ readonly zone: string; readonly region: string }, CloudError>
}

const unless = <A>(asked: Effect.Effect<A, CloudError>, reason: CloudError["reason"], otherwise: A) =>
  Effect.catchIf(
    asked,
    (error) => error.reason === reason,
    () => Effect.succeed(otherwise)
  )

const after = (prefix: string) => (error: CloudError) =>
  new CloudError({ reason: error.reason, message: `${prefix}: ${error.message}` })

/**
 * A provider of the old kind behind the port: a machine whose ID cannot be found does not exist, and is not shut down either.
 * Upstream: staging/src/k8s.io/cloud-provider/{plugins.go,cloud.go} GetInstanceProviderID, and both controllers.
 */
export const fromOldInstances = (name: string, old: OldInstances): CloudProviderShape => {
  const nameOf = (node: Node) => node.metadata.name ?? ""
  const providerID = (node: Node) =>
    node.spec?.providerID
      ? Effect.succeed(node.spec.providerID)
      : old.instanceID(nameOf(node)).pipe(
          Effect.map((id) => `${name}://${id}`),
          Effect.mapError((error) =>
            error.reason === "Unknown" ? after("failed to get instance ID from cloud provider")(error) : error
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
          onSuccess: (id) => unless(old.shutdownByProviderID(id), "NotImplemented", false),
          onFailure: (error) => (error.reason === "InstanceNotFound" ? Effect.succeed(false) : Effect.fail(error))
        }),
      instanceMetadata: Effect.fnUntraced(function* (node) {
        // Without an ID the machine is found by its name.
        const id = yield* unless(providerID(node), "NotImplemented", "")
        const byID = <A>(known: Effect.Effect<A, CloudError>, named: Effect.Effect<A, CloudError>) =>
          Effect.catch(known, () => named)
        const nodeAddresses = yield* byID(old.addressesByProviderID(id), old.addresses(nameOf(node)))
        const instanceType = yield* byID(old.typeByProviderID(id), old.type(nameOf(node)))
        const { region, zone } =
          old.zone === undefined
            ? { region: "", zone: "" }
            : yield* Effect.mapError(old.zone(id, nameOf(node)), after("failed to get zone from cloud provider"))
        return { providerID: id, instanceType, nodeAddresses, zone, region, additionalLabels: {} }
      })
    }
  }
}
