import type { DaemonSet, Event, Job, Lease, Node } from "@rollcall/api"
import { annotationTemplateGeneration, labelNamespaceName, type Namespace } from "@rollcall/api"
import { validateNamespaceFinalizeUpdate } from "@rollcall/api/validation"
import { sameValue } from "../objects/values.ts"
import * as core from "../printing/core.ts"
import { events as printEvents } from "../printing/events.ts"
import { nodes as printNodes } from "../printing/nodes.ts"
import { daemonSets as printDaemonSets, jobs as printJobs } from "../printing/workloads.ts"
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
  indexedField: "metadata.name",
  printer: printNodes
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
  printer: core.leases,
  strategy: {
    prepareForCreate: withoutCoordinatedElection,
    prepareForUpdate: withoutCoordinatedElection,
    // A renewal skips `prepareForUpdate`, which would remove the strategy.
    isRenewal: ({ spec }, stored) => spec?.renewTime !== stored.spec?.renewTime && spec?.strategy === undefined
  }
}

/** The finalizer in the spec of every namespace, which the namespace controller removes once the namespace is empty. */
const FINALIZER = "kubernetes"

const withNameLabel = (namespace: Namespace): Namespace => {
  const { labels, name } = namespace.metadata
  if (name === undefined || name === "" || labels?.[labelNamespaceName] === name) return namespace
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [labelNamespaceName]: name } } }
}

/** The namespaces that cannot be deleted. kube-node-lease can, as upstream. */
const lastingNamespaces: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"])

/** Upstream: pkg/registry/core/namespace/strategy.go. */
export const namespaces: KindOptions<Namespace> = {
  subresources: ["status", "finalize"],
  returnsDeleted: true,
  printer: core.namespaces,
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
  allowCreateOnUpdate: true,
  watchHistoryEvents: SHORT_HISTORY_EVENTS,
  // The default of kube-apiserver's --event-ttl: one hour.
  expireMs: 3_600_000,
  printer: printEvents
}

/**
 * Labels the pods of a job so that its selector matches only them, unless the caller manages the selector. The labels
 * without the prefix batch.kubernetes.io/ are the older names. A job that had no labels of its own has those of its
 * pods. Upstream: pkg/registry/batch/job/strategy.go, generateSelector.
 */
const withSelector = (job: Job): Job => {
  if (job.spec.manualSelector === true) return job
  const { name = "", uid = "" } = job.metadata
  const generated = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name
  }
  const { selector, template } = job.spec
  const own = template.metadata?.labels
  const labels = { ...generated, ...own }
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...selector?.matchLabels }
  const isShared = job.metadata.labels === undefined || sameValue(job.metadata.labels, own)
  return {
    ...job,
    metadata: isShared ? { ...job.metadata, labels } : job.metadata,
    spec: {
      ...job.spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } }
    }
  }
}

/** Upstream: pkg/registry/batch/job/strategy.go. */
export const jobs: KindOptions<Job> = {
  strategy: { prepareForCreate: withSelector },
  orphansByDefault: "warned",
  subresources: ["status"],
  tracksGeneration: true,
  printer: printJobs
}

/** The generation of a DaemonSet's template; 0 if it has none yet. Upstream: TemplateGeneration of pkg/apis/apps. */
const templateGenerationOf = ({ metadata }: DaemonSet): number =>
  Number(metadata.annotations?.[annotationTemplateGeneration] ?? 0)

const withTemplateGeneration = (set: DaemonSet, generation: number): DaemonSet => {
  const text = String(generation)
  const { annotations } = set.metadata
  if (annotations?.[annotationTemplateGeneration] === text) return set
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, [annotationTemplateGeneration]: text } }
  }
}

/**
 * The server counts the changes of the template, in an annotation that no client can set after the creation. Upstream:
 * pkg/registry/apps/daemonset/strategy.go.
 */
export const daemonSets: KindOptions<DaemonSet> = {
  strategy: {
    prepareForCreate: (set) => withTemplateGeneration(set, Math.max(1, templateGenerationOf(set))),
    prepareForUpdate: (set, stored) => {
      const isChanged = !sameValue(set.spec.template, stored.spec.template)
      return withTemplateGeneration(set, templateGenerationOf(stored) + (isChanged ? 1 : 0))
    },
    prepareForStatusUpdate: (set, stored) => withTemplateGeneration(set, templateGenerationOf(stored))
  },
  subresources: ["status"],
  tracksGeneration: true,
  printer: printDaemonSets
}
