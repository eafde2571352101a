import type { Node } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** Upstream: pkg/registry/core/node/strategy.go. */
export const nodes: KindOptions<Node> = {
  directory: "minions",
  subresources: ["status"],
  fieldOf: (node, field) => (field === "spec.unschedulable" ? String(node.spec?.unschedulable ?? false) : undefined)
}
