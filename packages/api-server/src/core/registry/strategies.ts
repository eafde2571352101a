import type { Event, Job, Lease, Node, Secret } from "@rollcall/api"
import { labelNamespaceName, type Namespace, type Pod, type PodStatus, podScheduled, qosClassOf } from "@rollcall/api"
import { validateNamespaceFinalizeUpdate } from "@rollcall/api/validation"
import type { KindOptions } from "./KindDefinition.ts"

/*
 * The rules of kinds that differ from the default by more than a field or two; `KindOptions` explains the fields. A
 * rule compares parts of objects with `===` only to return the same reference when there is nothing to do: an equal
 * copy of a part gives an equal object.
 */

/** Returns the status of a new pod, whatever the caller sent: Pending, and not scheduled if the pod has gates. */
const pendingStatus = (pod: Pod): PodStatus => {
  const status: PodStatus = { phase: "Pending", qosClass: qosClassOf(pod) }
  if ((pod.spec.schedulingGates?.length ?? 0) === 0) return status
  const message = "Scheduling is blocked due to non-empty scheduling gates"
  return { ...status, conditions: [{ type: podScheduled, status: "False", reason: "SchedulingGated", message }] }
}

/** Upstream: pkg/registry/core/pod/strategy.go. */
export const pods: KindOptions<Pod> = {
  subresources: ["status", "binding", "eviction"],
  tracksGeneration: true,
  // Every kubelet watches the pods of its node.
  indexedField: "spec.nodeName",
  strategy: {
    prepareForCreate: (pod) => ({ ...pod, status: pendingStatus(pod) }),
    // Old kubelets send outdated ownerReferences with the status, so the stored ones stay.
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

const noWarnings: ReadonlyArray<string> = []

/** Upstream: pkg/registry/core/node/strategy.go; warnings: pkg/api/node/util.go. */
export const nodes: KindOptions<Node> = {
  // The directory in etcd still has the name that nodes had before Kubernetes 1.0.
  directory: "minions",
  subresources: ["status"],
  // The query parameters of the subresource `proxy`, as OpenAPI describes them.
  proxyOptions: "NodeProxyOptions",
  strategy: {
    prepareForCreate: withoutConfig,
    prepareForUpdate: withoutConfig,
    prepareForStatusUpdate: withoutConfig,
    warnings: (node) =>
      node.spec?.externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : noWarnings
  },
  // Every kubelet watches its own Node.
  indexedField: "metadata.name",
  fieldOf: (node, field) => {
    if (field === "metadata.name") return node.metadata.name
    return field === "spec.unschedulable" ? String(node.spec?.unschedulable ?? false) : undefined
  }
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
    // The spec contains only the finalizers, which change only through the finalize subresource.
    prepareForUpdate: (namespace, stored) =>
      withNameLabel(
        stored.spec === undefined || namespace.spec === stored.spec ? namespace : { ...namespace, spec: stored.spec }
      )
  },
  fieldOf: (namespace, field) => (field === "status.phase" ? namespace.status?.phase : undefined)
}

/** Upstream: pkg/registry/core/event/strategy.go. */
export const events: KindOptions<Event> = {
  watchHistoryEvents: SHORT_HISTORY_EVENTS,
  // The default of kube-apiserver's --event-ttl: one hour.
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

/** Upstream: pkg/registry/core/secret/strategy.go. */
export const secrets: KindOptions<Secret> = {
  fieldOf: (secret, field) => (field === "type" ? secret.type : undefined)
}

/**
 * Gives a job without a selector one that matches only its own pods, and labels its pods accordingly. The labels
 * without the prefix batch.kubernetes.io/ are the older names, which Kubernetes still sets. Upstream:
 * pkg/registry/batch/job/strategy.go, generateSelector.
 */
const withSelector = (job: Job): Job => {
  if (job.spec.manualSelector === true || job.spec.selector !== undefined) return job
  const { name = "", uid = "" } = job.metadata
  const generatedLabels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name
  }
  const { metadata } = job.spec.template
  const labels = { ...metadata?.labels, ...generatedLabels }
  const template = { ...job.spec.template, metadata: { ...metadata, labels } }
  const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } }
  return { ...job, spec: { ...job.spec, selector, template } }
}

/** Upstream: pkg/registry/batch/job/strategy.go. */
export const jobs: KindOptions<Job> = {
  strategy: { prepareForCreate: withSelector },
  subresources: ["status"],
  tracksGeneration: true,
  initialStatus: {},
  fieldOf: (job, field) => (field === "status.successful" ? String(job.status?.succeeded ?? 0) : undefined)
}
