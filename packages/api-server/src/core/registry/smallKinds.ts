import type { Event, Job, Secret } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** Kinds that differ from the plain case by a field or two. Upstream: pkg/registry/core/{event,secret}, pkg/registry/batch/job. */

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
 * A job that does not select its pods by itself is given a selector that none but its own pods have.
 * Upstream: pkg/registry/batch/job/strategy.go generateSelector.
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
