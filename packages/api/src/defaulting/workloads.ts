import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../objects/Apps.ts"
import type { CronJob } from "../objects/CronJob.ts"
import type { Job } from "../objects/Job.ts"
import type { PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import { sortedEntries } from "../sortedEntries.ts"
import { annotationTemplateGeneration } from "../wellKnown.ts"
import { mapItems, withDefaults, withFields, withPointerDefaults } from "./fill.ts"
import { completePodTemplate } from "./pod.ts"
import { defaultPersistentVolumeClaim } from "./storage.ts"

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go. */

type Spec<A extends { readonly spec: unknown }> = A["spec"]

const deploymentDefaults: Partial<Spec<Deployment>> = {
  replicas: 1,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600
}
const rollingDefaults = { maxUnavailable: "25%", maxSurge: "25%" }

const completeStrategy = (strategy: Spec<Deployment>["strategy"] = {}) => {
  const withType = withDefaults(strategy, { type: "RollingUpdate" })
  if (withType.type !== "RollingUpdate") return withType
  return withFields(withType, { rollingUpdate: withPointerDefaults(withType.rollingUpdate ?? {}, rollingDefaults) })
}

export const defaultDeployment = (deployment: Deployment): Deployment => {
  // Before validation, a spec may lack fields that its type requires.
  const spec: Partial<Spec<Deployment>> = deployment.spec ?? {}
  const completed = withFields(withDefaults(spec, deploymentDefaults), {
    strategy: completeStrategy(spec.strategy),
    template: completePodTemplate(spec.template)
  })
  return completed === deployment.spec ? deployment : { ...deployment, spec: { ...deployment.spec, ...completed } }
}

const replicaSetDefaults = { replicas: 1 }

export const defaultReplicaSet = (replicaSet: ReplicaSet): ReplicaSet => {
  const spec: Partial<Spec<ReplicaSet>> = replicaSet.spec ?? {}
  const completed = withFields(withDefaults(spec, replicaSetDefaults), { template: completePodTemplate(spec.template) })
  return completed === replicaSet.spec ? replicaSet : { ...replicaSet, spec: { ...replicaSet.spec, ...completed } }
}

const historyDefaults = { revisionHistoryLimit: 10 }
const noRolling = { maxUnavailable: 0, maxSurge: 0 }
const daemonRollingDefaults = { maxUnavailable: 1, maxSurge: 0 }

export const defaultDaemonSet = (daemonSet: DaemonSet): DaemonSet => {
  const spec: Partial<Spec<DaemonSet>> = daemonSet.spec ?? {}
  let updateStrategy = withDefaults(spec.updateStrategy ?? {}, { type: "RollingUpdate" })
  if (updateStrategy.type === "RollingUpdate") {
    const rollingUpdate = withPointerDefaults(updateStrategy.rollingUpdate ?? {}, daemonRollingDefaults)
    updateStrategy = withFields(updateStrategy, { rollingUpdate })
  } else if (updateStrategy.rollingUpdate !== undefined) {
    // The internal form always has both numbers.
    const rollingUpdate = withPointerDefaults(updateStrategy.rollingUpdate, noRolling)
    updateStrategy = withFields(updateStrategy, { rollingUpdate })
  }
  const completed = withFields(withDefaults(spec, historyDefaults), {
    updateStrategy,
    template: completePodTemplate(spec.template)
  })
  const withSpec =
    completed === daemonSet.spec ? daemonSet : { ...daemonSet, spec: { ...daemonSet.spec, ...completed } }
  // Go reads the annotation into a field, and always writes that back.
  const generation = withSpec.metadata.annotations?.[annotationTemplateGeneration]
  return generation === undefined ? withTemplateGeneration(withSpec, "0") : withSpec
}

/** Returns the DaemonSet with this generation of its template. */
export const withTemplateGeneration = (daemonSet: DaemonSet, generation: string): DaemonSet => {
  const { metadata } = daemonSet
  if (metadata.annotations?.[annotationTemplateGeneration] === generation) return daemonSet
  const annotations = { ...metadata.annotations, [annotationTemplateGeneration]: generation }
  return { ...daemonSet, metadata: { ...metadata, annotations: Object.fromEntries(sortedEntries(annotations)) } }
}

const statefulSetDefaults: Partial<Spec<StatefulSet>> = {
  podManagementPolicy: "OrderedReady",
  replicas: 1,
  revisionHistoryLimit: 10
}

/** A claim template is a whole claim. Upstream: pkg/apis/apps/v1/conversion.go, Convert_apps_StatefulSetSpec_To_v1. */
const completeClaimTemplate = <A extends object>(template: A): A =>
  withFields(defaultPersistentVolumeClaim(template as A & PersistentVolumeClaim), {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim"
  }) as A

export const defaultStatefulSet = (statefulSet: StatefulSet): StatefulSet => {
  const spec: Partial<Spec<StatefulSet>> = statefulSet.spec ?? {}
  const { rollingUpdate, type = "" } = spec.updateStrategy ?? {}
  let updateStrategy = withDefaults(spec.updateStrategy ?? {}, { type: "RollingUpdate" })
  // Of a strategy that is named, what it leaves out stays out.
  if (updateStrategy.type === "RollingUpdate" && (rollingUpdate !== undefined || (type as string) === "")) {
    updateStrategy = withFields(updateStrategy, { rollingUpdate: withDefaults(rollingUpdate ?? {}, { partition: 0 }) })
  }
  const completed = withFields(withDefaults(spec, statefulSetDefaults), {
    persistentVolumeClaimRetentionPolicy: withDefaults(spec.persistentVolumeClaimRetentionPolicy ?? {}, {
      whenDeleted: "Retain",
      whenScaled: "Retain"
    }),
    updateStrategy,
    template: completePodTemplate(spec.template),
    volumeClaimTemplates:
      spec.volumeClaimTemplates === undefined ? undefined : mapItems(spec.volumeClaimTemplates, completeClaimTemplate)
  })
  return completed === statefulSet.spec ? statefulSet : { ...statefulSet, spec: { ...statefulSet.spec, ...completed } }
}

const jobDefaults: Partial<Spec<Job>> = {
  backoffLimit: 6,
  completionMode: "NonIndexed",
  suspend: false,
  manualSelector: false,
  podReplacementPolicy: "TerminatingOrFailed"
}

/** The parts of a pod failure policy that have defaults. */
interface FailurePolicy {
  readonly rules?: ReadonlyArray<{ readonly onPodConditions?: ReadonlyArray<{ readonly status?: string }> }>
}

/** A pattern of pod conditions without a status matches the conditions that are true. */
const completeFailurePolicy = (policy: Spec<Job>["podFailurePolicy"]): Spec<Job>["podFailurePolicy"] => {
  const { rules } = (policy ?? {}) as FailurePolicy
  if (rules === undefined || rules === null) return policy
  const completed = mapItems(rules, (rule) =>
    withFields(rule, {
      onPodConditions:
        rule.onPodConditions && mapItems(rule.onPodConditions, (pattern) => withDefaults(pattern, { status: "True" }))
    })
  )
  return completed === rules ? policy : { ...(policy as object), rules: completed }
}

/** Defaults of jobs are set when a job is created; those of their pods in the template, too. */
export const defaultCronJob = (cronJob: CronJob): CronJob => {
  const spec: Partial<Spec<CronJob>> = cronJob.spec ?? {}
  const { jobTemplate } = spec
  const jobSpec: Partial<Spec<Job>> | undefined = jobTemplate?.spec
  const completedJob =
    jobSpec &&
    withFields(jobSpec, {
      podFailurePolicy: completeFailurePolicy(jobSpec.podFailurePolicy),
      template: completePodTemplate(jobSpec.template)
    })
  const completed = withFields(withDefaults(spec, cronJobDefaults), {
    jobTemplate:
      jobTemplate === undefined || completedJob === jobSpec
        ? jobTemplate
        : { ...jobTemplate, spec: { ...jobTemplate.spec, ...completedJob } }
  })
  return completed === cronJob.spec ? cronJob : { ...cronJob, spec: { ...cronJob.spec, ...completed } }
}

const cronJobDefaults: Partial<Spec<CronJob>> = {
  concurrencyPolicy: "Allow",
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1
}

export const defaultJob = (job: Job): Job => {
  const spec: Partial<Spec<Job>> = job.spec ?? {}
  // A job with neither field runs one pod to one success; one with only parallelism has no fixed number of completions.
  const withCounts =
    spec.parallelism === undefined
      ? withDefaults(spec, spec.completions === undefined ? { completions: 1, parallelism: 1 } : { parallelism: 1 })
      : spec
  // With a back-off limit for each index, the job's own limit is unlimited by default.
  const limits = spec.backoffLimitPerIndex === undefined ? jobDefaults : { ...jobDefaults, backoffLimit: 2_147_483_647 }
  // With a pod failure policy, a pod is replaced only after it has failed.
  const defaults = spec.podFailurePolicy === undefined ? limits : { ...limits, podReplacementPolicy: "Failed" as const }
  const completed = withFields(withPointerDefaults(withCounts, defaults), {
    podFailurePolicy: completeFailurePolicy(spec.podFailurePolicy),
    template: completePodTemplate(spec.template)
  })
  const labels = spec.template?.metadata?.labels
  // A job without labels has those of its pods.
  const metadata =
    labels !== undefined && Object.keys(job.metadata.labels ?? {}).length === 0
      ? { ...job.metadata, labels }
      : undefined
  return withFields(job, { metadata, spec: completed === job.spec ? undefined : { ...job.spec, ...completed } })
}
