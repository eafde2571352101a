import { type CronJob, getControllerOf, type Job, type KubeObject, type PodTemplateSpec } from "@rollcall/api"
import { annotationBehaviour } from "@rollcall/kubelet"
import { type KnowledgeGap, some } from "@rollcall/text"
import type { Evidence } from "./gapEvidence.ts"

const isFinished = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(({ status, type }) => (type === "Complete" || type === "Failed") && status === "True")

const isAnnotated = (template: PodTemplateSpec | undefined): boolean =>
  template?.metadata?.annotations?.[annotationBehaviour] !== undefined

const named = (kind: string, { metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ?? "default"}/${metadata.name}`

/** Reports the Jobs that run, and the CronJobs that start some: no snapshot says how long their containers take. */
export const endlessJobs = ({ of, reader }: Evidence): ReadonlyArray<KnowledgeGap> => {
  if (reader !== "simulate") return []
  const cronJobs = of<CronJob>("CronJob").filter(
    ({ spec }) => spec.suspend !== true && !isAnnotated(spec.jobTemplate.spec?.template)
  )
  const jobs = of<Job>("Job").filter(
    (job) =>
      !(isFinished(job) || job.spec?.suspend === true || isAnnotated(job.spec?.template)) &&
      getControllerOf(job)?.kind !== "CronJob"
  )
  const names = [...cronJobs.map((one) => named("CronJob", one)), ...jobs.map((one) => named("Job", one))]
  if (names.length === 0) return []
  const message = `the snapshot does not say how long the containers of Jobs run: those of ${some(names)} run until they are deleted, unless their command (true, sleep 30) or the annotation ${annotationBehaviour} of their pods says when they end`
  return [{ kind: "Job", message, isInEverySnapshot: true }]
}
