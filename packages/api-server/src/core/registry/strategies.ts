import type { Event, Job, Lease, Node, Secret } from "@rollcall/api"
import { labelNamespaceName, type Namespace, type Pod, type PodStatus, podScheduled, qosClassOf } from "@rollcall/api"
import { validateNamespaceFinalizeUpdate } from "@rollcall/api/validation"
import type { KindOptions } from "./KindDefinition.ts"

/** The status of a new pod is Pending, whatever the caller sent. */
const initialStatus = (pod: Pod): PodStatus => {
  const status: PodStatus = { phase: "Pending", qosClass: qosClassOf(pod) }
  if ((pod.spec.schedulingGates?.length ?? 0) === 0) return status
  const message = "Scheduling is blocked due to non-empty scheduling gates"
  return { ...status, conditions: [{ type: podScheduled, status: "False", reason: "SchedulingGated", message }] }
}

/** Upstream: pkg/registry/core/pod/strategy.go. */
export const pods: KindOptions<Pod> = {
  subresources: ["status", "binding", "eviction"],
  tracksGeneration: true,
  indexedField: "spec.nodeName",
  strategy: {
    prepareForCreate: (pod) => ({ ...pod, status: initialStatus(pod) }),
    // Old kubelets send back owners and deletion as they first saw them; this must not revert later changes.
    prepareForStatusUpdate: (pod, stored) => {
      if (pod.metadata.ownerReferences === stored.metadata.ownerReferences) return pod
      const { ownerReferences: _, ...metadata } = pod.metadata
      const { ownerReferences } = stored.metadata
      return { ...pod, metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences } }
    }
  },
  fieldOf: ({ spec, status }, field) => {
    switch (field) {
      case "spec.nodeName":
        return spec.nodeName
      case "spec.restartPolicy":
        return spec.restartPolicy
      case "spec.schedulerName":
        return spec.schedulerName
      case "spec.serviceAccountName":
        return spec.serviceAccountName
      case "spec.hostNetwork":
        return String(spec.hostNetwork ?? false)
      case "status.phase":
        return status?.phase
      case "status.podIP":
        return status?.podIPs?.[0]?.ip ?? status?.podIP
      case "status.podIPs":
        return status?.podIPs?.map(({ ip }) => ip).join(",")
      case "status.nominatedNodeName":
        return status?.nominatedNodeName
      default:
        return undefined
    }
  }
}

/**
 * Dynamic kubelet configuration was removed in 1.26: its fields are still decoded, so that admission can refuse them to
 * kubelets, and are never stored.
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

/** Removes both fields of coordinated leader election, which is off. */
const withoutStrategy = (lease: Lease): Lease => {
  const { spec } = lease
  if (spec === undefined || (spec.strategy === undefined && spec.preferredHolder === undefined)) return lease
  const { preferredHolder: _preferredHolder, strategy: _strategy, ...rest } = spec
  return { ...lease, spec: rest }
}

/** Upstream: pkg/registry/coordination/lease/strategy.go. */
export const leases: KindOptions<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  // There are thousands of heartbeats a second, and watches of leases are rarely resumed: a long history would only
  // cost memory.
  history: 1024,
  strategy: {
    prepareForCreate: withoutStrategy,
    prepareForUpdate: withoutStrategy,
    isRenewal: ({ spec }, stored) => spec?.renewTime !== stored.spec?.renewTime && spec?.strategy === undefined
  }
}

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
    // The finalizers of a namespace are removed only through its own subresource.
    prepareForUpdate: (namespace, stored) =>
      withNameLabel(
        stored.spec === undefined || namespace.spec === stored.spec ? namespace : { ...namespace, spec: stored.spec }
      )
  },
  fieldOf: (namespace, field) => (field === "status.phase" ? namespace.status?.phase : undefined)
}

/**
 * Kinds that differ from the default by a field or two. Upstream: pkg/registry/core/{event,secret},
 * pkg/registry/batch/job.
 */

export const events: KindOptions<Event> = {
  history: 1024,
  // Upstream: --event-ttl.
  expireMs: 3_600_000,
  fieldOf: (event, field) => {
    const { involvedObject: subject } = event
    switch (field) {
      case "involvedObject.kind":
        return subject.kind
      case "involvedObject.namespace":
        return subject.namespace
      case "involvedObject.name":
        return subject.name
      case "involvedObject.uid":
        return subject.uid
      case "involvedObject.apiVersion":
        return subject.apiVersion
      case "involvedObject.resourceVersion":
        return subject.resourceVersion
      case "involvedObject.fieldPath":
        return subject.fieldPath
      case "reason":
        return event.reason
      case "reportingComponent":
        return event.reportingComponent
      case "source":
        return event.source?.component || event.reportingComponent
      case "type":
        return event.type
      default:
        return undefined
    }
  }
}

export const secrets: KindOptions<Secret> = {
  fieldOf: (secret, field) => (field === "type" ? secret.type : undefined)
}

/**
 * Generates the selector of a job without one, which matches only its own pods. Upstream:
 * pkg/registry/batch/job/strategy.go generateSelector.
 */
const withSelector = (job: Job): Job => {
  if (job.spec.manualSelector === true || job.spec.selector !== undefined) return job
  const { name = "", uid = "" } = job.metadata
  const marks = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name
  }
  const { metadata } = job.spec.template
  const template = { ...job.spec.template, metadata: { ...metadata, labels: { ...metadata?.labels, ...marks } } }
  const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } }
  return { ...job, spec: { ...job.spec, selector, template } }
}

export const jobs: KindOptions<Job> = {
  strategy: { prepareForCreate: withSelector },
  subresources: ["status"],
  tracksGeneration: true,
  initialStatus: {},
  fieldOf: (job, field) => (field === "status.successful" ? String(job.status?.succeeded ?? 0) : undefined)
}
