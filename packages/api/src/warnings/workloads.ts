import type { DaemonSet, StatefulSet } from "../objects/Apps.ts"
import type { ServiceAccount } from "../objects/Core.ts"
import type { CronJob } from "../objects/CronJob.ts"
import type { Job, JobSpec } from "../objects/Job.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { PodTemplateSpec } from "../objects/Pod.ts"
import type { ResourceQuota } from "../objects/Quota.ts"
import type { PodTemplate, ReplicationController } from "../objects/ReplicationController.ts"
import { compareQuantity, formatQuantity } from "../quantity/Quantity.ts"
import { semanticEqual } from "../validation/semanticEqual.ts"
import { nameWarnings, templateWarnings } from "./pod.ts"
import * as storage from "./storage.ts"

interface Templated extends KubeObject {
  readonly spec: { readonly template?: PodTemplateSpec }
}

const templatePath = "spec.template"

/** Returns the warnings for a workload; of a stored one, only if its spec has changed. */
export const workloadWarnings = (workload: Templated, stored: Templated | undefined): ReadonlyArray<string> => {
  const warnings = templateWarnings(workload.spec?.template, templatePath)
  if (stored === undefined) return [...nameWarnings(workload.metadata.name, "Pod names and hostnames"), ...warnings]
  return workload.metadata.generation === stored.metadata.generation ? [] : warnings
}

const MANY_COMPLETIONS = 100_000
const MANY_PODS = 10_000

/** Upstream: pkg/api/job/warnings.go. */
const indexWarnings = (spec: JobSpec | undefined, path: string): ReadonlyArray<string> => {
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {}
  return completionMode === "Indexed" && completions > MANY_COMPLETIONS && parallelism > MANY_PODS
    ? [
        `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`
      ]
    : []
}

export const jobWarnings = (job: Job, stored: Job | undefined): ReadonlyArray<string> => {
  const isChanged = stored === undefined || job.metadata.generation !== stored.metadata.generation
  return [...(isChanged ? indexWarnings(job.spec, "spec") : []), ...workloadWarnings(job, stored)]
}

/** Upstream: pkg/registry/batch/cronjob/strategy.go. */
export const cronJobWarnings = (cronJob: CronJob, stored: CronJob | undefined): ReadonlyArray<string> => {
  const { jobTemplate, schedule = "" } = cronJob.spec ?? {}
  const isChanged = stored === undefined || cronJob.metadata.generation !== stored.metadata.generation
  const jobsAt = "spec.jobTemplate.spec"
  return [
    ...(stored === undefined ? nameWarnings(cronJob.metadata.name, "Pod names and hostnames") : []),
    ...(isChanged
      ? [
          ...indexWarnings(jobTemplate?.spec, jobsAt),
          ...templateWarnings(jobTemplate?.spec?.template, `${jobsAt}.template`)
        ]
      : []),
    ...(stored !== undefined && schedule.includes("TZ")
      ? [
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        ]
      : [])
  ]
}

export const daemonSetWarnings = (set: DaemonSet, stored: DaemonSet | undefined): ReadonlyArray<string> =>
  stored === undefined || !semanticEqual(set.spec?.template, stored.spec?.template)
    ? templateWarnings(set.spec?.template, templatePath)
    : []

export const statefulSetWarnings = (set: StatefulSet, stored: StatefulSet | undefined): ReadonlyArray<string> => {
  const { revisionHistoryLimit = 0, template, volumeClaimTemplates = [] } = set.spec ?? {}
  const isChanged = stored === undefined || set.metadata.generation !== stored.metadata.generation
  return [
    ...(isChanged ? templateWarnings(template, templatePath) : []),
    ...(volumeClaimTemplates as ReadonlyArray<PersistentVolumeClaim>).flatMap(({ spec }, index) =>
      storage.claimSpecWarnings(spec, `spec.volumeClaimTemplates[${index}]${stored === undefined ? "" : ".Spec"}`)
    ),
    ...(revisionHistoryLimit < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : [])
  ]
}

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets"

export const serviceAccountWarnings = (
  account: ServiceAccount,
  stored: ServiceAccount | undefined
): ReadonlyArray<string> =>
  account.metadata.annotations?.[mountableSecrets] === undefined ||
  stored?.metadata.annotations?.[mountableSecrets] !== undefined
    ? []
    : [
        `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`
      ]

/** On an update, upstream looks at the stored template. */
export const replicationControllerWarnings = (
  controller: ReplicationController,
  stored: ReplicationController | undefined
): ReadonlyArray<string> => {
  const templateOf = ({ spec }: ReplicationController) => templateWarnings(spec?.template, templatePath)
  if (stored === undefined) {
    return [...nameWarnings(controller.metadata.name, "Pod names and hostnames"), ...templateOf(controller)]
  }
  return controller.metadata.generation === stored.metadata.generation ? [] : templateOf(stored)
}

export const podTemplateWarnings = (object: PodTemplate, stored: PodTemplate | undefined): ReadonlyArray<string> =>
  object.metadata.generation === stored?.metadata.generation ? [] : templateWarnings(object.template, "template")

/** Upstream: pkg/registry/core/resourcequota/strategy.go. */
export const quotaWarnings = ({ spec }: ResourceQuota, stored: ResourceQuota | undefined): ReadonlyArray<string> => {
  const hard = spec?.hard ?? {}
  if (stored !== undefined) return []
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isCompute = name === "cpu" || name === "memory"
    const requestName = hard[`requests.${name}`] === undefined && isCompute ? name : `requests.${name}`
    const [request, limit] = [hard[requestName], hard[`limits.${name}`]]
    if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return []
    const [shown, most] = [formatQuantity(request), formatQuantity(limit)]
    return [`ResourceQuota ${requestName} (${shown}) should be less than limits.${name} (${most})`]
  })
}
