import { memberOf } from "../memberOf.ts"
import type { PodTemplate, ReplicationController } from "../objects/ReplicationController.ts"
import type { ErrorList } from "./ErrorList.ts"
import { sortedMap } from "./goFormat.ts"
import { makeRules } from "./makeRules.ts"
import { nameIsLongName } from "./names.ts"
import { validatePodTemplate } from "./podTemplate.ts"
import { validateReplicaSetStatusUpdate } from "./workloadStatus.ts"

type Spec = NonNullable<ReplicationController["spec"]>

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodTemplateSpecForRC. */
const checkTemplate = (
  errors: ErrorList,
  template: NonNullable<Spec["template"]>,
  selector: Spec["selector"]
): void => {
  const at = "spec.template"
  const labels = template.metadata?.labels
  if (Object.entries(selector ?? {}).some(([key, value]) => memberOf(labels, key) !== value)) {
    errors.invalid(`${at}.metadata.labels`, sortedMap(labels), "`selector` does not match template `labels`")
  }
  validatePodTemplate(errors, template, at)
  const { activeDeadlineSeconds, restartPolicy = "" } = template.spec ?? {}
  if (restartPolicy !== "Always") errors.notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"])
  if (activeDeadlineSeconds === undefined) return
  errors.forbidden(
    `${at}.spec.activeDeadlineSeconds`,
    "activeDeadlineSeconds in ReplicationController is not Supported"
  )
}

/** Upstream: ValidateReplicationController. */
export const replicationControllerRules = {
  ...makeRules<ReplicationController>("Namespaced", {
    onUpdate: "change",
    name: nameIsLongName,
    check: (errors, { spec = {} }) => {
      errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
      if (Object.keys(spec.selector ?? {}).length === 0) errors.required("spec.selector")
      if (spec.replicas === undefined) errors.required("spec.replicas")
      errors.nonNegative("spec.replicas", spec.replicas)
      if (spec.template === undefined) errors.required("spec.template")
      else checkTemplate(errors, spec.template, spec.selector)
    }
  }),
  updateStatus: validateReplicaSetStatusUpdate
}

/** Upstream: ValidatePodTemplate. */
export const podTemplateRules = makeRules<PodTemplate>("Namespaced", {
  onUpdate: "change",
  check: (errors, { template }) => validatePodTemplate(errors, template, "template")
})
