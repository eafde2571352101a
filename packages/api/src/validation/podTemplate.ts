import type { LabelSelector } from "../objects/Meta.ts"
import type { PodSpec, PodTemplateSpec } from "../objects/Pod.ts"
import { matchesLabelSelector } from "../selector/Selector.ts"
import type { ErrorList } from "./ErrorList.ts"
import { sortedMap } from "./goFormat.ts"
import { shownSelector, validateAnnotations, validateLabelSelector, validateLabels } from "./labels.ts"
import { validatePodAnnotations } from "./podAnnotations.ts"
import { validatePodSpec } from "./podSpec.ts"
import { validateProfilesMatch } from "./profileAnnotations.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodTemplateSpec; pkg/apis/apps/validation/validation.go. */

const noSpec: PodSpec = { containers: [] }

/** Checks the labels and annotations of a pod template. */
export const checkTemplateMetadata = (errors: ErrorList, template: PodTemplateSpec | undefined, path: string): void => {
  const { annotations, labels } = template?.metadata ?? {}
  validateLabels(errors, labels, `${path}.labels`)
  validateAnnotations(errors, annotations, `${path}.annotations`)
  validatePodAnnotations(errors, annotations, template?.spec ?? noSpec, `${path}.annotations`)
}

/** Validates the metadata and the spec of a pod template. */
export const validatePodTemplate = (errors: ErrorList, template: PodTemplateSpec | undefined, path: string): void => {
  const spec = template?.spec ?? noSpec
  checkTemplateMetadata(errors, template, path)
  validatePodSpec(errors, spec, `${path}.spec`, false)
  validateProfilesMatch(errors, template?.metadata?.annotations, spec, `${path}.spec`)
  if (spec.ephemeralContainers?.length) {
    errors.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")
  }
}

/** Checks that a template's labels are those that the selector of its workload selects. */
export const checkTemplateLabels = (
  errors: ErrorList,
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined
): void => {
  const labels = template?.metadata?.labels
  if (matchesLabelSelector(selector, labels)) return
  errors.invalid("spec.template.metadata.labels", sortedMap(labels), "`selector` does not match template `labels`")
}

/** Checks a selector that must select something. Returns whether it can be compared with labels. */
export const checkSelector = (errors: ErrorList, selector: LabelSelector | undefined, empty: string): boolean => {
  const before = errors.size
  validateLabelSelector(errors, selector, "spec.selector")
  const isValid = errors.size === before
  if (selector === undefined) errors.required("spec.selector")
  else if (isEmptySelector(selector)) errors.invalid("spec.selector", shownSelector(selector), empty)
  return isValid
}

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && !selector.matchExpressions?.length

/** Checks that the pods of a template run until they are deleted, as those of `kind` do. */
export const checkRunsAlways = (errors: ErrorList, template: PodTemplateSpec | undefined, kind: string): void => {
  const { activeDeadlineSeconds, restartPolicy = "" } = template?.spec ?? noSpec
  if (restartPolicy !== "Always") {
    errors.notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"])
  }
  if (activeDeadlineSeconds === undefined) return
  errors.forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`)
}

/** Checks that the selector of a workload is that of the stored one. */
export const checkSelectorUnchanged = (
  errors: ErrorList,
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined
): void => {
  if (!semanticEqual(selector, old)) errors.invalid("spec.selector", shownSelector(selector), "field is immutable")
}
