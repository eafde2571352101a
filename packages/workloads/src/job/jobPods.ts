import {
  controllerReference,
  getPodCondition,
  type Job,
  type Pod,
  type PodTemplateSpec,
  parseTime
} from "@rollcall/api"
import { podFromTemplate } from "../podFromTemplate.ts"
import { failureAnnotations, type IndexFailures } from "./indexFailures.ts"

/** The finalizer that keeps a pod until its job has counted it. Upstream: batch/v1 JobTrackingFinalizer. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"
/** Upstream: batch/v1 JobCompletionIndexAnnotation. */
const completionIndex = "batch.kubernetes.io/job-completion-index"
const indexVariable = "JOB_COMPLETION_INDEX"

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed"

/** Whether each index has its own backoff limit. */
export const countsByIndex = (job: Job): boolean => isIndexed(job) && job.spec.backoffLimitPerIndex !== undefined

/** Whether the pod has the finalizer. */
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true

/** The completion index of a pod; undefined if it has none, or one that is not below the job's completions. */
export const indexOf = (job: Job, { metadata }: Pod): number | undefined => {
  const text = metadata.annotations?.[completionIndex] ?? ""
  if (!/^[0-9]+$/.test(text)) return undefined
  const index = Number(text)
  return index < (job.spec.completions ?? 0) ? index : undefined
}

/** Whether a pod can be counted: for an Indexed job only with a valid index. Upstream: getValidPodsWithFilter. */
export const isCountable = (job: Job, pod: Pod): boolean => !isIndexed(job) || indexOf(job, pod) !== undefined

/** Whether a terminating pod is only replaced when it has failed. Upstream: onlyReplaceFailedPods. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined

/**
 * Whether a pod has failed. A terminating pod counts as failed, unless the job waits for its result. Upstream:
 * isPodFailed.
 */
export const hasFailed = (job: Job, { metadata, status }: Pod): boolean =>
  status?.phase === "Failed" ||
  (!replacesOnlyFailed(job) && metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded")

/**
 * When a pod terminated, in milliseconds since the Unix epoch, as well as it is known: the end of its last container,
 * else the end of its readiness, else its deletion. Upstream: pkg/controller/job/backoff_utils.go getFinishedTime.
 */
export const endOf = ({ metadata, status }: Pod): number => {
  const containers = status?.containerStatuses ?? []
  const ends = containers.flatMap(({ state }) => state?.terminated?.finishedAt ?? [])
  if (containers.length > 0 && ends.length === containers.length) return Math.max(...ends.map(parseTime))
  const ready = getPodCondition(status, "Ready")
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined) return parseTime(ready.lastTransitionTime)
  if (metadata.deletionTimestamp !== undefined) {
    return parseTime(metadata.deletionTimestamp) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000
  }
  return parseTime(metadata.creationTimestamp ?? "")
}

/** A pod to create: with an index for an Indexed job, and with earlier failures if each index has its own limit. */
export interface NewPod {
  readonly index?: number
  readonly failures?: IndexFailures
}

/** The template with the completion index in labels, annotations and environment. */
const withIndex = (template: PodTemplateSpec, index: number, failures: IndexFailures | undefined): PodTemplateSpec => {
  const indexEntry = { [completionIndex]: String(index) }
  const valueFrom = { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${completionIndex}']` } }
  const addVariable = <C extends PodTemplateSpec["spec"]["containers"][number]>(container: C): C =>
    container.env?.some(({ name }) => name === indexVariable) === true
      ? container
      : { ...container, env: [...(container.env ?? []), { name: indexVariable, valueFrom }] }
  const { containers, initContainers } = template.spec
  return {
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, ...indexEntry },
      annotations: { ...template.metadata?.annotations, ...indexEntry, ...failureAnnotations(failures) }
    },
    spec: {
      ...template.spec,
      containers: containers.map(addVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(addVariable) })
    }
  }
}

/** The limit of 63 characters on a name, less the five generated ones. Upstream: podGenerateNameWithIndex. */
const MAX_PREFIX_LENGTH = 58

/** The generateName of a pod. As upstream, it is only shortened for a pod with an index. */
const generateNameOf = (name: string, index: number | undefined): string => {
  const end = index === undefined ? "-" : `-${index}-`
  return index === undefined ? `${name}${end}` : `${name.slice(0, MAX_PREFIX_LENGTH - end.length)}${end}`
}

/** A pod of the job. Upstream: job_controller.go manageJob. */
export const newJobPod = (job: Job, { failures, index }: NewPod): Pod => {
  const template = index === undefined ? job.spec.template : withIndex(job.spec.template, index, failures)
  const pod = podFromTemplate(job, template)
  const { finalizers = [] } = pod.metadata
  const { name = "" } = job.metadata
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: generateNameOf(name, index),
      finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
      ownerReferences: [controllerReference(job)]
    },
    spec: index === undefined ? pod.spec : { ...pod.spec, hostname: `${name}-${index}` }
  }
}
