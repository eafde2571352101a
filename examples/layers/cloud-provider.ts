import type { Node } from "@rollcall/api"
import { CloudError, CloudProvider, type InstanceMetadata } from "@rollcall/node-controller"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** Which rack each machine of a cellar stands in. */
const racks: Readonly<Record<string, string>> = {
  "cheap-0": "rack-1",
  "cheap-1": "rack-2",
  "dear-0": "rack-1",
  "dear-1": "rack-2"
}

const SCHEME = "cellar://"

/** The machine that a Node stands for: by its provider ID where it has one, else by its name. */
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

/** The cloud of a cellar: nodes get zones by their racks. A machine that stands in none does not exist. */
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
