import type { Node } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/**
 * Dynamic kubelet configuration is gone since 1.26: its fields still parse, so that admission can refuse them to kubelets, and are
 * never stored.
 */
const withoutConfig = (node: Node): Node => {
  const { spec, status } = node
  if (spec?.configSource === undefined && status?.config === undefined) return node
  const { configSource: _, ...keptSpec } = spec ?? {}
  const { config: __, ...keptStatus } = status ?? {}
  return {
    ...node,
    ...(spec === undefined ? {} : { spec: keptSpec }),
    ...(status === undefined ? {} : { status: keptStatus })
  }
}

const nothing: ReadonlyArray<string> = []

/** Upstream: pkg/registry/core/node/strategy.go; warnings: pkg/api/node/util.go. */
export const nodes: KindOptions<Node> = {
  directory: "minions",
  subresources: ["status"],
  proxyOptions: "NodeProxyOptions",
  strategy: {
    prepareForCreate: withoutConfig,
    prepareForUpdate: withoutConfig,
    prepareForStatusUpdate: withoutConfig,
    warnings: (node) =>
      node.spec?.externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : nothing
  },
  // Every kubelet watches its own Node.
  indexedField: "metadata.name",
  fieldOf: (node, field) => {
    if (field === "metadata.name") return node.metadata.name
    return field === "spec.unschedulable" ? String(node.spec?.unschedulable ?? false) : undefined
  }
}
