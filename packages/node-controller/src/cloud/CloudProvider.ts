import type { Node, NodeAddress } from "@rollcall/api"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Why a cloud did not answer. */
export class CloudError extends Schema.TaggedError<CloudError>()("CloudError", {
  /** What the provider knows of it: there is no such instance, it does not do such a thing, or something else went wrong. */
  reason: Schema.Literals(["InstanceNotFound", "NotImplemented", "Unknown"]),
  message: Schema.String
}) {}

/** What a cloud tells of an instance; empty texts are nothing. */
export interface InstanceMetadata {
  /** `<provider>://<instance>`. Without one the Node waits; undefined: the provider has no such IDs, and its Nodes need none. */
  readonly providerID: string | undefined
  readonly instanceType: string
  readonly nodeAddresses: ReadonlyArray<NodeAddress>
  readonly zone: string
  readonly region: string
  readonly additionalLabels: Readonly<Record<string, string>>
}

/**
 * The machines of a cloud, asked for by the Node that stands for them: by `spec.providerID` where it has one, else by its name.
 * Upstream: staging/src/k8s.io/cloud-provider/cloud.go InstancesV2.
 */
export interface Instances {
  /** An answer of false is the end of the Node. A machine that is switched off exists. */
  readonly instanceExists: (node: Node) => Effect.Effect<boolean, CloudError>
  /** Whether the machine exists and is switched off. */
  readonly instanceShutdown: (node: Node) => Effect.Effect<boolean, CloudError>
  /** Undefined where the provider has nothing to say, which is no error. */
  readonly instanceMetadata: (node: Node) => Effect.Effect<InstanceMetadata | undefined, CloudError>
}

export interface CloudProviderShape {
  /** What the provider IDs of its instances begin with. */
  readonly name: string
  readonly instances: Instances
}

/**
 * The port to a cloud. A layer of it answers as truthfully as it can, and fails rather than guess: the controllers repeat what
 * failed, and what is deleted is gone. `cloudProviderContract` of `@rollcall/node-controller/testing` proves it.
 */
export class CloudProvider extends Context.Service<CloudProvider, CloudProviderShape>()(
  "@rollcall/node-controller/CloudProvider"
) {}
