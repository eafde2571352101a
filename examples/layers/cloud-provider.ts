import type { Node } from "@rollcall/api"
import { CloudError, CloudProvider, type InstanceMetadata } from "@rollcall/node-controller"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** The rack of each machine in the cellar. */
const racks: Readonly<Record<string, string>> = {
  "cheap-0": "rack-1",
  "cheap-1": "rack-2",
  "dear-0": "rack-1",
  "dear-1": "rack-2"
}

const SCHEME = "cellar://"

/** Returns the machine of a Node: by its provider ID if it has one, else by its name. */
const machineOf = ({ metadata: { name = "" }, spec }: Node): string => spec?.providerID?.slice(SCHEME.length) || name

const metadataOf = (node: Node): Effect.Effect<InstanceMetadata, CloudError> => {
  const machine = machineOf(node)
  const zone = racks[machine]
  if (zone === undefined) return new CloudError({ reason: "InstanceNotFound", message: "instance not found" })
  return Effect.succeed({
    providerID: `${SCHEME}${machine}`,
    instanceType: machine.startsWith("dear") ? "2u" : "1u",
    nodeAddresses: node.status?.addresses ?? [],
    zone,
    region: "cellar",
    additionalLabels: { "cellar.example/door": "north" }
  })
}

/** The cloud provider of the cellar: nodes get zones by their racks. A machine without a rack does not exist. */
export default defineLayers(
  Layer.succeed(CloudProvider, {
    name: "cellar",
    instances: {
      instanceExists: (node) => Effect.succeed(racks[machineOf(node)] !== undefined),
      instanceShutdown: () => Effect.succeed(false),
      instanceMetadata: metadataOf
    }
  })
)
