import { type Node, taintCloudUninitialized } from "@rollcall/api"
import * as Result from "effect/Result"
import type { InstanceMetadata } from "./CloudProvider.ts"
import { addressesOf } from "./nodeAddresses.ts"
import { topologyLabelNames } from "./topologyLabels.ts"

type Labels = Readonly<Record<string, string>>

const KUBERNETES_LABEL = /(^|\.)(kubernetes|k8s)\.io\//

const topologyLabels = (metadata: InstanceMetadata): Labels =>
  Object.fromEntries(
    (["instanceType", "zone", "region"] as const).flatMap((field) =>
      metadata[field] === "" ? [] : topologyLabelNames[field].map((label) => [label, metadata[field]])
    )
  )

/** The provider's own labels: without Kubernetes' labels and labels that the node already has. */
const ownLabelsToAdd = (present: Labels, additional: Labels): Labels =>
  Object.fromEntries(Object.entries(additional).filter(([key]) => !KUBERNETES_LABEL.test(key) && !(key in present)))

/**
 * The change that initializes a Node from its cloud's metadata, to be applied to the Node's current version; or why
 * the Node stays uninitialized. Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go
 * getNodeModifiersFromCloudProvider.
 */
export const nodeInitializer = (
  node: Node,
  metadata: InstanceMetadata
): Result.Result<(current: Node) => Node, string> => {
  const name = node.metadata.name ?? ""
  // Without a usable ID the cloud's own value decides: undefined, it has no IDs; empty, the Node must wait for one.
  const providerID = metadata.providerID || node.spec?.providerID || metadata.providerID
  if (providerID === "") {
    return Result.fail(
      `failed to get instance metadata for node ${name}: cloud provider does not set node provider ID for node ${name}`
    )
  }
  const addresses = addressesOf(node, metadata.nodeAddresses)
  if (Result.isFailure(addresses)) {
    return Result.fail(
      `failed to get node modifiers from cloud provider: provided node ip for node "${name}" is not valid: ${addresses.failure}`
    )
  }
  return Result.succeed((current) => {
    const labels = { ...current.metadata.labels, ...topologyLabels(metadata) }
    const { taints, ...spec } = current.spec ?? {}
    const remainingTaints = taints?.filter(({ key }) => key !== taintCloudUninitialized) ?? []
    return {
      ...current,
      metadata: { ...current.metadata, labels: { ...labels, ...ownLabelsToAdd(labels, metadata.additionalLabels) } },
      spec: {
        ...spec,
        ...(providerID === undefined ? {} : { providerID: current.spec?.providerID || providerID }),
        ...(remainingTaints.length === 0 ? {} : { taints: remainingTaints })
      }
    }
  })
}
