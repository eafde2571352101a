import { defaultAutoscaler } from "../defaulting/autoscaler.ts"
import * as defaults from "../defaulting/workloads.ts"
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../objects/Apps.ts"
import { ControllerRevision } from "../objects/ControllerRevision.ts"
import { CronJob } from "../objects/CronJob.ts"
import { HorizontalPodAutoscaler } from "../objects/HorizontalPodAutoscaler.ts"
import { Job } from "../objects/Job.ts"
import { autoscalerRules } from "../validation/autoscaler.ts"
import { validateControllerRevisionUpdate } from "../validation/controllerRevision.ts"
import { daemonSetConversionFault, deploymentConversionFault } from "../validation/conversion.ts"
import { cronJobRules } from "../validation/cronJob.ts"
import { daemonSetRules } from "../validation/daemonSet.ts"
import { goQuote } from "../validation/goFormat.ts"
import { validateJob, validateJobUpdate } from "../validation/job.ts"
import { validateJobStatusUpdate } from "../validation/jobStatus.ts"
import { statefulSetRules } from "../validation/statefulSet.ts"
import { controllerRevisionRules } from "../validation/storageClass.ts"
import * as status from "../validation/workloadStatus.ts"
import * as workloads from "../validation/workloads.ts"
import * as warnings from "../warnings/workloads.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/apps, pkg/apis/batch. */

const categories = ["all"]

export const replicaSets = kind<ReplicaSet>(ReplicaSet, {
  shortNames: ["rs"],
  categories,
  defaults: defaults.defaultReplicaSet,
  validation: {
    create: workloads.validateReplicaSet,
    update: workloads.validateReplicaSetUpdate,
    updateStatus: status.validateReplicaSetStatusUpdate
  },
  warnings: warnings.workloadWarnings
})

export const deployments = kind<Deployment>(Deployment, {
  shortNames: ["deploy"],
  categories,
  defaults: defaults.defaultDeployment,
  conversionFault: deploymentConversionFault,
  validation: {
    create: workloads.validateDeployment,
    update: workloads.validateDeploymentUpdate,
    updateStatus: status.validateDeploymentStatusUpdate
  },
  warnings: warnings.workloadWarnings
})

export const daemonSets = kind<DaemonSet>(DaemonSet, {
  shortNames: ["ds"],
  categories,
  defaults: defaults.defaultDaemonSet,
  conversionFault: daemonSetConversionFault,
  validation: {
    ...daemonSetRules,
    updateStatus: status.validateDaemonSetStatusUpdate
  },
  warnings: warnings.daemonSetWarnings
})

export const statefulSets = kind<StatefulSet>(StatefulSet, {
  shortNames: ["sts"],
  categories,
  defaults: defaults.defaultStatefulSet,
  validation: {
    ...statefulSetRules,
    updateStatus: status.validateStatefulSetStatusUpdate
  },
  warnings: warnings.statefulSetWarnings
})

export const controllerRevisions = kind<ControllerRevision>(ControllerRevision, {
  validation: { ...controllerRevisionRules, update: validateControllerRevisionUpdate }
})

export const jobs = kind<Job>(Job, {
  categories,
  defaults: defaults.defaultJob,
  validation: { create: validateJob, update: validateJobUpdate, updateStatus: validateJobStatusUpdate },
  warnings: warnings.jobWarnings,
  fields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  fieldFault: (field) => `field label ${goQuote(field)} not supported for Job`
})

export const cronJobs = kind<CronJob>(CronJob, {
  shortNames: ["cj"],
  categories,
  defaults: defaults.defaultCronJob,
  validation: cronJobRules,
  warnings: warnings.cronJobWarnings
})

export const autoscalers = kind<HorizontalPodAutoscaler>(HorizontalPodAutoscaler, {
  shortNames: ["hpa"],
  categories,
  defaults: defaultAutoscaler,
  validation: autoscalerRules
})
