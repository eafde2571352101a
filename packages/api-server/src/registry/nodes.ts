import type { Node } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** Upstream: pkg/registry/core/node/strategy.go. */
export const nodes: KindOptions<Node> = {
  directory: "minions",
  subresources: ["status"],
  // Every kubelet watches its own Node.
  indexedField: "metadata.name",
  fieldOf: (node, field) => {
    if (field === "metadata.name") return node.metadata.name
    return field === "spec.unschedulable" ? String(node.spec?.unschedulable ?? false) : undefined
  }
}
