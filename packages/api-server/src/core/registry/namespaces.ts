import { labelNamespaceName, type Namespace } from "@rollcall/api"
import { validateNamespaceFinalizeUpdate } from "@rollcall/api/validation"
import type { KindOptions } from "./KindDefinition.ts"

const FINALIZER = "kubernetes"

const withNameLabel = (namespace: Namespace): Namespace => {
  const { labels, name } = namespace.metadata
  if (name === undefined || name === "" || labels?.[labelNamespaceName] === name) return namespace
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [labelNamespaceName]: name } } }
}

/** Upstream: pkg/registry/core/namespace/strategy.go. */
export const namespaces: KindOptions<Namespace> = {
  subresources: ["status", "finalize"],
  validateFinalize: validateNamespaceFinalizeUpdate,
  strategy: {
    prepareForCreate: (namespace) => {
      const finalizers = namespace.spec?.finalizers ?? []
      return withNameLabel({
        ...namespace,
        spec: {
          ...namespace.spec,
          finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER]
        },
        status: { phase: "Active" }
      })
    },
    // What holds a namespace is let go of through its own subresource only.
    prepareForUpdate: (namespace, stored) =>
      withNameLabel(
        stored.spec === undefined || namespace.spec === stored.spec ? namespace : { ...namespace, spec: stored.spec }
      )
  },
  fieldOf: (namespace, field) => (field === "status.phase" ? namespace.status?.phase : undefined)
}
