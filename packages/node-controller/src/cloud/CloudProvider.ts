import type { Node, NodeAddress } from "@rollcall/api"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Why a call to the cloud failed. */
export class CloudError extends Schema.TaggedError<CloudError>()("CloudError", {
  /** The kind of failure: no such instance, not supported, or any other. */
  reason: Schema.Literals(["InstanceNotFound", "NotImplemented", "Unknown"]),
  message: Schema.String
}) {}

/** What a cloud reports for an instance; an empty text means no value. */
export interface InstanceMetadata {
  /**
   * `<provider>://<instance>`. With an empty one the Node stays uninitialized; undefined means that the provider has no
   * such IDs, and that its Nodes need none.
   */
  readonly providerID: string | undefined
  readonly instanceType: string
  readonly nodeAddresses: ReadonlyArray<NodeAddress>
  readonly zone: string
  readonly region: string
  readonly additionalLabels: Readonly<Record<string, string>>
}

/**
 * The machines of a cloud, identified by their Node: by `spec.providerID` if set, else by name.
 * Upstream: staging/src/k8s.io/cloud-provider/cloud.go InstancesV2.
 */
export interface Instances {
  /** Whether the machine exists, also if it is shut down. False makes the controllers delete the Node. */
  readonly instanceExists: (node: Node) => Effect.Effect<boolean, CloudError>
  /** Whether the machine exists and is shut down. */
  readonly instanceShutdown: (node: Node) => Effect.Effect<boolean, CloudError>
  /** The machine's metadata; undefined, which is not an error, if the provider has none. */
  readonly instanceMetadata: (node: Node) => Effect.Effect<InstanceMetadata | undefined, CloudError>
}

export interface CloudProviderShape {
  /** The scheme of its provider IDs. */
  readonly name: string
  readonly instances: Instances
}

/**
 * The port to a cloud. An implementation must fail rather than guess: the controllers retry failures, but a deletion
 * is final. `cloudProviderContract` of `@rollcall/node-controller/testing` tests it.
 */
export class CloudProvider extends Context.Service<CloudProvider, CloudProviderShape>()(
  "@rollcall/node-controller/CloudProvider"
) {}
