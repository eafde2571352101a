import type { Job, JobSpec } from "../objects/Job.ts"
import type { LabelSelector, ObjectMeta } from "../objects/Meta.ts"
import type { PodSpec } from "../objects/Pod.ts"
import { matchesLabelSelector } from "../selector/Selector.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { internalJson } from "./goDiff.ts"
import { sortedMap } from "./goFormat.ts"
import { validateFailurePolicy, validateSuccessPolicy } from "./jobPolicies.ts"
import { shownSelector, validateLabelSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { byteLength, isDNS1123Label, nameIsDNSSubdomain } from "./names.ts"
import { checkDomainPrefixedPath } from "./paths.ts"
import { validatePodTemplate } from "./podTemplate.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/batch/validation/validation.go, ValidateJob and ValidateJobUpdate. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const MANY = 100_000
const MANY_FOR_BACKOFF = 10_000
const MAX_MANAGER_BYTES = 63

const numbers = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes"
] as const

const checkManager = (errors: ErrorList, manager: string | undefined): void => {
  if (manager === undefined) return
  checkDomainPrefixedPath(errors, manager, "spec.managedBy")
  if (byteLength(manager) > MAX_MANAGER_BYTES) errors.tooLong("spec.managedBy", MAX_MANAGER_BYTES)
}

const checkIndexed = (errors: ErrorList, spec: JobSpec): void => {
  const { backoffLimitPerIndex, completions, maxFailedIndexes: failed, parallelism } = spec
  if (completions === undefined) errors.required("spec.completions", "when completion mode is Indexed")
  const checkMost = (field: "parallelism" | "maxFailedIndexes", most: number, when: string) => {
    const value = spec[field]
    if (value !== undefined && value > most) {
      errors.invalid(`spec.${field}`, value, `must be less than or equal to ${most}${when}`)
    }
  }
  checkMost("parallelism", MANY, " when completion mode is Indexed")
  if (completions !== undefined && failed !== undefined && failed > completions) {
    errors.invalid("spec.maxFailedIndexes", failed, "must be less than or equal to completions")
  }
  checkMost("maxFailedIndexes", MANY, "")
  if ((completions ?? 0) <= MANY || backoffLimitPerIndex === undefined) return
  if (failed === undefined) {
    errors.required("spec.maxFailedIndexes", `must be specified when completions is above ${MANY}`)
  }
  const when = ` when completions are above ${MANY} and used with backoff limit per index`
  if (parallelism !== undefined) checkMost("parallelism", MANY_FOR_BACKOFF, when)
  checkMost("maxFailedIndexes", MANY_FOR_BACKOFF, when)
}

const modes = ["NonIndexed", "Indexed"]

const checkMode = (errors: ErrorList, spec: JobSpec): void => {
  const { backoffLimitPerIndex, completionMode: mode, maxFailedIndexes } = spec
  if (mode !== undefined && !modes.includes(mode)) errors.notSupported("spec.completionMode", mode, modes)
  if (mode === "Indexed") checkIndexed(errors, spec)
  if (mode !== undefined && mode !== "NonIndexed") return
  for (const [field, value] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
    if (value !== undefined) errors.invalid(`spec.${field}`, value, "requires indexed completion mode")
  }
}

const replacements = ["Failed", "TerminatingOrFailed"]

const checkReplacement = (errors: ErrorList, { podFailurePolicy, podReplacementPolicy: policy }: JobSpec): void => {
  if (policy === undefined) return
  const known = podFailurePolicy === undefined ? replacements : ["Failed"]
  if (!known.includes(policy)) errors.notSupported("spec.podReplacementPolicy", policy, known)
}

const checkRestartPolicy = (errors: ErrorList, { podFailurePolicy, template }: JobSpec): void => {
  const path = "spec.template.spec.restartPolicy"
  const policy = template?.spec?.restartPolicy ?? ""
  if (policy === "" || policy === "Always") errors.required(path, 'valid values: "OnFailure", "Never"')
  else if (policy !== "OnFailure" && policy !== "Never") errors.notSupported(path, policy, ["OnFailure", "Never"])
  else if (podFailurePolicy !== undefined && policy !== "Never") {
    errors.invalid(path, typed(policy), 'only "Never" is supported when podFailurePolicy is specified')
  }
}

/** Checks the spec of a job, or of a template of jobs. */
const checkSpec = (errors: ErrorList, spec: JobSpec): void => {
  for (const field of numbers) errors.nonNegative(`spec.${field}`, spec[field])
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified")
  }
  checkManager(errors, spec.managedBy)
  checkMode(errors, spec)
  validateFailurePolicy(errors, spec, "spec.podFailurePolicy")
  validateSuccessPolicy(errors, spec, "spec.successPolicy")
  checkReplacement(errors, spec)
  validatePodTemplate(errors, spec.template, "spec.template")
  checkRestartPolicy(errors, spec)
}

/** Returns the errors of the spec in a template of jobs, with their paths as in a job. */
export const validateJobSpec = (spec: JobSpec): FieldErrors => {
  const errors = new ErrorList()
  checkSpec(errors, spec)
  return errors.all
}

const checkSelector = (errors: ErrorList, { selector, template }: JobSpec): void => {
  const before = errors.size
  if (selector === undefined) errors.required("spec.selector")
  else validateLabelSelector(errors, selector, "spec.selector")
  if (selector !== undefined && errors.size > before) return
  const labels = template?.metadata?.labels
  if (selector !== undefined && matchesLabelSelector(selector, labels)) return
  errors.invalid("spec.template.metadata.labels", sortedMap(labels), "`selector` does not match template `labels`")
}

const legacyLabels = ["controller-uid", "job-name"] as const
const batchLabels = ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"] as const

const checkLabel = (errors: ErrorList, { labels = {} }: ObjectMeta, label: string, expected: string): void => {
  const path = "spec.template.metadata.labels"
  const actual = labels[label]
  const detail = `must be '${expected}'`
  if (actual === undefined) errors.required(`${path}[${label}]`, detail)
  else if (actual !== expected) errors.invalid(`${path}[${label}]`, sortedMap(labels), detail)
}

/** Whether Go can compile the selector. */
const isValidSelector = (selector: LabelSelector): boolean => {
  const errors = new ErrorList()
  validateLabelSelector(errors, selector, "")
  return errors.size === 0
}

/** Checks that a selector which the server generates, and its labels, are those of this job. */
const checkGeneratedSelector = (errors: ErrorList, { metadata, spec }: Job): void => {
  const { name = "", uid = "" } = metadata
  const { manualSelector, selector, template } = spec
  if (manualSelector === true || selector === undefined) return
  if (uid === "") errors.required("metadata.uid")
  const expected: Record<string, string> = {}
  for (const [uidLabel, nameLabel] of [legacyLabels, batchLabels]) {
    checkLabel(errors, template?.metadata ?? {}, uidLabel, uid)
    checkLabel(errors, template?.metadata ?? {}, nameLabel, name)
    expected[uidLabel] = uid
    expected[nameLabel] = name
  }
  if (!isValidSelector(selector) || matchesLabelSelector(selector, expected)) return
  errors.invalid("spec.selector", shownSelector(selector), "`selector` not auto-generated")
}

export const validateJob = (job: Job): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, job.metadata, options)
  checkGeneratedSelector(errors, job)
  checkSpec(errors, job.spec)
  checkSelector(errors, job.spec)
  const { name = "" } = job.metadata
  const { completionMode, completions = 0 } = job.spec
  if (completionMode !== "Indexed" || completions <= 0) return errors.all
  const last = `${name}-${completions - 1}`
  if (isDNS1123Label(last).length > 0) {
    errors.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${last}`)
  }
  return errors.all
}

/** Returns the old spec with the scheduling directives that a suspended job may change. */
const withSchedulingOf = (old: PodSpec, next: PodSpec): PodSpec => {
  const { affinity: oldAffinity, nodeSelector: _, schedulingGates: _gates, tolerations: _tolerations, ...rest } = old
  const { affinity, nodeSelector, schedulingGates, tolerations } = next
  const { nodeAffinity: _node, ...podAffinities } = oldAffinity ?? {}
  const nodeAffinity = affinity?.nodeAffinity
  const kept = { ...podAffinities, ...(nodeAffinity && { nodeAffinity }) }
  const hasAffinity = affinity !== undefined || Object.keys(podAffinities).length > 0
  return {
    ...rest,
    ...(hasAffinity ? { affinity: kept } : {}),
    ...(nodeSelector && { nodeSelector }),
    ...(schedulingGates && { schedulingGates }),
    ...(tolerations && { tolerations })
  }
}

type Containers = PodSpec["containers"]

/** Returns the old containers with the resources of the new ones of the same names and places. */
const withResourcesOf = (old: Containers, next: Containers): Containers =>
  old.length !== next.length
    ? old
    : old.map((container, index) => {
        const { resources: _, ...rest } = container
        const given = next[index]
        if (given?.name !== container.name) return container
        return given.resources === undefined ? rest : { ...rest, resources: given.resources }
      })

const immutableMessage = "field is immutable"
const immutableFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy"
] as const

const policyTypes: Partial<Record<keyof JobSpec, string>> = {
  podFailurePolicy: "batch.v1.PodFailurePolicy",
  successPolicy: "batch.v1.SuccessPolicy"
}

/** Checks that a field stays. Go has pointers here: a value that is empty is not an absent one. */
const checkUnchanged = (errors: ErrorList, spec: JobSpec, old: JobSpec, field: (typeof immutableFields)[number]) => {
  const [type, value] = [policyTypes[field], spec[field]]
  if (type === undefined ? value === old[field] : equalAs(type, value, old[field])) return
  const given = typeof value === "string" ? typed(value) : value
  const shown = type === undefined || typeof value !== "object" ? given : internalJson(type, value)
  errors.invalid(`spec.${field}`, shown, immutableMessage)
}

/** Whether a job has no pods that its template could contradict. Upstream: pkg/registry/batch/job/strategy.go. */
const hasMutableTemplate = ({ spec, status }: Job): boolean => {
  const { active = 0, conditions = [], startTime } = status ?? {}
  const isSuspended = conditions.some(({ status: is, type }) => type === "Suspended" && is === "True")
  return spec.suspend === true && (startTime === undefined || isSuspended) && active === 0
}

const checkTemplateUpdate = (errors: ErrorList, { spec: { template } }: Job, old: Job): void => {
  const before = old.spec.template
  if (!hasMutableTemplate(old)) {
    if (!equalAs("core.v1.PodTemplateSpec", template, before)) {
      errors.invalid("spec.template", internalJson("PodTemplateSpec", template), immutableMessage)
    }
    return
  }
  const { containers, initContainers } = before.spec
  const allowed: PodSpec = {
    ...withSchedulingOf(before.spec, template.spec),
    containers: withResourcesOf(containers, template.spec.containers),
    ...(initContainers && { initContainers: withResourcesOf(initContainers, template.spec.initContainers ?? []) })
  }
  if (equalAs("core.v1.PodSpec", template.spec, allowed)) return
  errors.invalid("spec.template.spec", internalJson("PodSpec", template.spec), immutableMessage)
}

const checkCompletions = (errors: ErrorList, spec: JobSpec, old: JobSpec): void => {
  const { completionMode, completions, parallelism } = spec
  if (completions === old.completions) return
  if (completionMode !== "Indexed") errors.invalid("spec.completions", completions, immutableMessage)
  else if (completions !== undefined && completions !== parallelism) {
    errors.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")
  }
}

export const validateJobUpdate = (job: Job, old: Job): FieldErrors => {
  const errors = new ErrorList()
  // The spec is checked twice, as upstream: as that of any job, and as that of an update.
  errors.append(validateJob(job))
  validateObjectMetaUpdate(errors, job.metadata, old.metadata, options)
  checkSpec(errors, job.spec)
  checkSelector(errors, job.spec)
  checkCompletions(errors, job.spec, old.spec)
  if (!semanticEqual(job.spec.selector, old.spec.selector)) {
    errors.invalid("spec.selector", job.spec.selector && shownSelector(job.spec.selector), immutableMessage)
  }
  checkTemplateUpdate(errors, job, old)
  for (const field of immutableFields) checkUnchanged(errors, job.spec, old.spec, field)
  return errors.all
}
