import type { Node } from "@rollcall/api"
import { CloudProvider, type InstanceMetadata } from "@rollcall/node-controller"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** Which rack each machine of a cellar stands in. */
const racks: Readonly<Record<string, string>> = {
  "cheap-0": "rack-1",
  "cheap-1": "rack-2",
  "dear-0": "rack-1",
  "dear-1": "rack-2"
}

const metadataOf = ({ metadata: { name = "" }, status }: Node): InstanceMetadata => ({
  providerID: `cellar://${name}`,
  instanceType: name.startsWith("dear") ? "2u" : "1u",
  nodeAddresses: status?.addresses ?? [],
  zone: racks[name] ?? "floor",
  region: "cellar",
  additionalLabels: { "cellar.example/door": "north" }
})

/** The cloud of a cellar: nodes get zones by their racks. A machine that stands in none does not exist. */
export default defineLayers(
  Layer.succeed(CloudProvider, {
    name: "cellar",
    instances: {
      instanceExists: ({ metadata: { name = "" } }) => Effect.succeed(name in racks),
      instanceShutdown: () => Effect.succeed(false),
      instanceMetadata: (node) => Effect.succeed(metadataOf(node))
    }
  })
)
