import {
  annotationTemplateGeneration,
  type DaemonSet,
  type Job,
  kindOf,
  type StatefulSet,
  withTemplateGeneration
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { withoutEmpties } from "@rollcall/api/wire"
import { podTemplate, withTemplateAt } from "./disabledPodFields.ts"
import type { KindOptions } from "./KindDefinition.ts"

const generationOf = ({ metadata }: DaemonSet): bigint => {
  const text = metadata.annotations?.[annotationTemplateGeneration] ?? "0"
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace("+", "")) : 0n
}

/** Upstream: pkg/registry/apps/daemonset/strategy.go, which counts the generations of the template. */
export const daemonSets: KindOptions<DaemonSet> = withTemplateAt<DaemonSet>(podTemplate, {
  subresources: ["status"],
  tracksGeneration: true,
  strategy: {
    prepareForCreate: (daemonSet) => {
      const given = generationOf(daemonSet)
      return withTemplateGeneration(daemonSet, String(given < 1n ? 1n : given))
    },
    prepareForUpdate: (daemonSet, stored) => {
      const generation = generationOf(stored)
      const isNew = !sameValue(withoutEmpties(daemonSet).spec.template, stored.spec.template)
      return withTemplateGeneration(daemonSet, String(isNew ? BigInt.asIntN(64, generation + 1n) : generation))
    },
    prepareForStatusUpdate: (daemonSet, stored) => withTemplateGeneration(daemonSet, String(generationOf(stored)))
  }
})

/**
 * Labels the pods of a job so that its selector matches only them, unless the caller manages the selector. The labels
 * without the prefix batch.kubernetes.io/ are the older names. A job that has the labels of its pods for want of its own
 * keeps it so.
 * Upstream: pkg/registry/batch/job/strategy.go, generateSelector.
 */
const withSelector = (job: Job): Job => {
  if (job.spec.manualSelector === true) return job
  const { name = "", uid = "" } = job.metadata
  const generated = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name
  }
  const { selector, template } = job.spec
  const own = template.metadata?.labels
  const labels = { ...generated, ...own }
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...selector?.matchLabels }
  // Defaults made them one object: labels that a caller gave twice are two.
  const isShared = job.metadata.labels !== undefined && job.metadata.labels === own
  return {
    ...job,
    metadata: isShared ? { ...job.metadata, labels } : job.metadata,
    spec: {
      ...job.spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } }
    }
  }
}

/** Upstream: pkg/registry/batch/job/strategy.go. */
export const jobs: KindOptions<Job> = withTemplateAt<Job>(podTemplate, {
  // A job without labels has those of its pods, also those that it has been given.
  strategy: { prepareForCreate: withSelector, asReadBack: kindOf("Job").defaults },
  orphansByDefault: "warned",
  subresources: ["status"],
  tracksGeneration: true
})

/** Leaves out the field of the feature gate MaxUnavailableStatefulSet, which is off. */
const withoutMaxUnavailable = (set: StatefulSet, stored?: StatefulSet): StatefulSet => {
  const { updateStrategy } = set.spec ?? {}
  const { rollingUpdate } = updateStrategy ?? {}
  if (rollingUpdate?.maxUnavailable === undefined) return set
  if (stored?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined) return set
  const { maxUnavailable: _, ...rest } = rollingUpdate
  return { ...set, spec: { ...set.spec, updateStrategy: { ...updateStrategy, rollingUpdate: rest } } }
}

/** Upstream: pkg/registry/apps/statefulset/strategy.go. */
export const statefulSets: KindOptions<StatefulSet> = withTemplateAt<StatefulSet>(podTemplate, {
  subresources: ["status", "scale"],
  tracksGeneration: true,
  strategy: { prepareForCreate: withoutMaxUnavailable, prepareForUpdate: withoutMaxUnavailable }
})
