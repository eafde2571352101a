import type { LabelSelector } from "../objects/Meta.ts"
import type { PodSpec, PodTemplateSpec } from "../objects/Pod.ts"
import { matchesLabelSelector } from "../selector/Selector.ts"
import { ErrorList } from "./ErrorList.ts"
import { sortedMap } from "./goFormat.ts"
import { shownSelector, validateAnnotations, validateLabelSelector, validateLabels } from "./labels.ts"
import { validatePodAnnotations } from "./podAnnotations.ts"
import { validatePodSpec } from "./podSpec.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodTemplateSpec; pkg/apis/apps/validation/validation.go. */

const noSpec: PodSpec = { containers: [] }

const checkTemplateMetadata = (errors: ErrorList, template: PodTemplateSpec | undefined, path: string): void => {
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
  if (spec.ephemeralContainers?.length) {
    errors.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")
  }
}

const isEmpty = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && !selector.matchExpressions?.length

/** The messages of a workload kind about its selector. `kind` decides which fields of the template are allowed. */
export interface WorkloadMessages {
  readonly kind: "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet"
  readonly emptySelector: string
  readonly invalidSelector: string
}

const checkTemplateLabels = (
  errors: ErrorList,
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
  path: string
): void => {
  if (selector !== undefined && isEmpty(selector)) return
  const labels = template?.metadata?.labels
  if (matchesLabelSelector(selector, labels)) return
  errors.invalid(`${path}.metadata.labels`, sortedMap(labels), "`selector` does not match template `labels`")
}

/** Checks the selector of a workload, and that the selector matches the template's labels. */
export const validateSelectorAndTemplate = (
  errors: ErrorList,
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
  messages: WorkloadMessages
): void => {
  const selectorErrors = new ErrorList()
  validateLabelSelector(selectorErrors, selector, "spec.selector")
  errors.append(selectorErrors.all)
  if (selector === undefined) errors.required("spec.selector")
  else if (isEmpty(selector)) errors.invalid("spec.selector", shownSelector(selector), messages.emptySelector)
  // An invalid selector cannot be compared with the template.
  if (selectorErrors.size > 0) {
    errors.invalid("spec.selector", shownSelector(selector), messages.invalidSelector)
    return
  }
  checkTemplateLabels(errors, selector, template, "spec.template")
  // Mounts of a StatefulSet may refer to its volume claims, so its template's mounts are not checked against its
  // volumes.
  if (messages.kind === "StatefulSet") checkTemplateMetadata(errors, template, "spec.template")
  else validatePodTemplate(errors, template, "spec.template")
  checkPolicies(errors, template, messages)
}

const checkPolicies = (errors: ErrorList, template: PodTemplateSpec | undefined, messages: WorkloadMessages): void => {
  const { activeDeadlineSeconds, restartPolicy = "" } = template?.spec ?? noSpec
  if (restartPolicy !== "Always") {
    errors.notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"])
  }
  if (activeDeadlineSeconds === undefined) return
  if (messages.kind === "DaemonSet") {
    errors.invalid("spec.template.spec.activeDeadlineSeconds", activeDeadlineSeconds, "must not be specified")
    return
  }
  // Deployments use the check of ReplicaSets, including its message.
  const kind = messages.kind === "Deployment" ? "ReplicaSet" : messages.kind
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`
  errors.forbidden("spec.template.spec.activeDeadlineSeconds", detail)
}
