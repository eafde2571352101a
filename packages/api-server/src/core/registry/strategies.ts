import type { Event, Lease, Node } from "@rollcall/api"
import { labelNamespaceName, type Namespace } from "@rollcall/api"
import { nameIsDNSLabel, validateNamespaceFinalizeUpdate } from "@rollcall/api/validation"
import { eventVersions } from "./eventsView.ts"
import type { KindOptions } from "./KindDefinition.ts"

/*
 * The rules of kinds that differ from the default by more than a field or two; `KindOptions` explains the fields. A
 * rule compares parts of objects with `===` only to return the same reference when there is nothing to do: an equal
 * copy of a part gives an equal object.
 */

/**
 * Removes the fields of dynamic kubelet configuration, which Kubernetes dropped in 1.26. They are still decoded,
 * because the NodeRestriction admission plugin, which runs before this, refuses a kubelet that sets them.
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

/** Upstream: pkg/registry/core/node/strategy.go. */
export const nodes: KindOptions<Node> = {
  // The directory in etcd still has the name that nodes had before Kubernetes 1.0.
  directory: "minions",
  subresources: ["status"],
  initialStatus: undefined,
  // The query parameters of the subresource `proxy`, as OpenAPI describes them.
  proxyOptions: "NodeProxyOptions",
  strategy: {
    prepareForCreate: withoutConfig,
    prepareForUpdate: withoutConfig,
    prepareForStatusUpdate: withoutConfig
  },
  // Every kubelet watches its own Node.
  indexedField: "metadata.name"
}

/** Removes the fields of coordinated leader election: its feature gate is off by default, and this API server does not have it. */
const withoutCoordinatedElection = (lease: Lease): Lease => {
  const { spec } = lease
  if (spec === undefined || (spec.strategy === undefined && spec.preferredHolder === undefined)) return lease
  const { preferredHolder: _preferredHolder, strategy: _strategy, ...rest } = spec
  return { ...lease, spec: rest }
}

/**
 * The history length of kinds that are written often and whose watches are rarely resumed (heartbeats, events): a
 * longer one would only cost memory.
 */
const SHORT_HISTORY_EVENTS = 1024

/** Upstream: pkg/registry/coordination/lease/strategy.go. */
export const leases: KindOptions<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  watchHistoryEvents: SHORT_HISTORY_EVENTS,
  strategy: {
    prepareForCreate: withoutCoordinatedElection,
    prepareForUpdate: withoutCoordinatedElection,
    // A renewal skips `prepareForUpdate`, which would remove the strategy.
    isRenewal: ({ spec }, stored) => spec?.renewTime !== stored.spec?.renewTime && spec?.strategy === undefined
  }
}

/** The finalizer in the spec of every namespace, which the namespace controller removes once the namespace is empty. */
const FINALIZER = "kubernetes"

/** A generated name is no label before it is found to be valid; a given one is by the defaults of the kind. */
const withNameLabel = (namespace: Namespace): Namespace => {
  const { labels, name } = namespace.metadata
  if (name === undefined || labels?.[labelNamespaceName] === name) return namespace
  if (nameIsDNSLabel(name, false).length > 0) return namespace
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [labelNamespaceName]: name } } }
}

/** The namespaces that cannot be deleted. kube-node-lease can, as upstream. */
const lastingNamespaces: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"])

/** Upstream: pkg/registry/core/namespace/strategy.go. */
export const namespaces: KindOptions<Namespace> = {
  subresources: ["status", "finalize"],
  returnsDeleted: true,
  undeletable: (name) => (lastingNamespaces.has(name) ? "this namespace may not be deleted" : undefined),
  parts: {
    finalize: {
      prepare: ({ metadata, spec }, stored) => ({ ...stored, metadata, ...(spec === undefined ? {} : { spec }) }),
      validate: validateNamespaceFinalizeUpdate
    }
  },
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
    // The spec contains only the finalizers, which change only through the finalize subresource.
    prepareForUpdate: (namespace, stored) =>
      withNameLabel(
        stored.spec === undefined || namespace.spec === stored.spec ? namespace : { ...namespace, spec: stored.spec }
      )
  }
}

/** Upstream: pkg/registry/core/event/strategy.go. */
export const events: KindOptions<Event> = {
  versions: eventVersions,
  allowCreateOnUpdate: true,
  watchHistoryEvents: SHORT_HISTORY_EVENTS,
  isUncached: true,
  // The default of kube-apiserver's --event-ttl: one hour.
  expireMs: 3_600_000
}
