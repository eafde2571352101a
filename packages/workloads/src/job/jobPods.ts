import { controllerReference, type Job, type Pod, type PodTemplateSpec, parseTime } from "@rollcall/api"
import { podFromTemplate } from "../podFromTemplate.ts"

/** Holds a pod until its job has counted it. Upstream: batch/v1 JobTrackingFinalizer. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"
/** Upstream: batch/v1 JobCompletionIndexAnnotation. */
const completionIndex = "batch.kubernetes.io/job-completion-index"
const indexVariable = "JOB_COMPLETION_INDEX"

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed"

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true

/** Which completion a pod is for; undefined when it says none or none that the job has. */
export const indexOf = (job: Job, { metadata }: Pod): number | undefined => {
  const text = metadata.annotations?.[completionIndex] ?? ""
  if (!/^[0-9]+$/.test(text)) return undefined
  const index = Number(text)
  return index < (job.spec.completions ?? 0) ? index : undefined
}

/** Whether only pods that have failed are replaced, not those on their way out. Upstream: onlyReplaceFailedPods. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined

/** A pod on its way out counts as failed, unless the job waits to see how it ends. Upstream: isPodFailed. */
export const hasFailed = (job: Job, { metadata, status }: Pod): boolean =>
  status?.phase === "Failed" ||
  (!replacesOnlyFailed(job) && metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded")

/** When a pod ended, as well as can be told. Upstream: pkg/controller/job/backoff_utils.go getFinishedTime. */
export const endOf = ({ metadata, status }: Pod, nowMs: number): number => {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? [])
  if (ends.length > 0) return Math.max(...ends.map(parseTime))
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime
  if (typeof ready === "string") return parseTime(ready)
  return metadata.deletionTimestamp === undefined ? nowMs : Math.min(nowMs, parseTime(metadata.deletionTimestamp))
}

const withIndex = (template: PodTemplateSpec, index: number): PodTemplateSpec => {
  const mark = { [completionIndex]: String(index) }
  const valueFrom = { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${completionIndex}']` } }
  const addVariable = <C extends PodTemplateSpec["spec"]["containers"][number]>(container: C): C =>
    container.env?.some(({ name }) => name === indexVariable) === true
      ? container
      : { ...container, env: [...(container.env ?? []), { name: indexVariable, valueFrom }] }
  const { containers, initContainers } = template.spec
  return {
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, ...mark },
      annotations: { ...template.metadata?.annotations, ...mark }
    },
    spec: {
      ...template.spec,
      containers: containers.map(addVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(addVariable) })
    }
  }
}

/** A pod of the job, for a completion index if it has such. Upstream: job_controller.go podCreateFunc. */
export const newJobPod = (job: Job, index: number | undefined): Pod => {
  const template = index === undefined ? job.spec.template : withIndex(job.spec.template, index)
  const pod = podFromTemplate(job, template)
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer]
  const prefix = index === undefined ? `${job.metadata.name}-` : `${job.metadata.name}-${index}-`
  return {
    ...pod,
    metadata: { ...pod.metadata, generateName: prefix, finalizers, ownerReferences: [controllerReference(job)] },
    spec: index === undefined ? pod.spec : { ...pod.spec, hostname: `${job.metadata.name}-${index}` }
  }
}
