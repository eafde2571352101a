import type { DaemonSet } from "../objects/Apps.ts"
import { annotationTemplateGeneration } from "../wellKnown.ts"
import { ErrorList } from "./ErrorList.ts"
import { isZero, validateAtMost100Percent } from "./intOrPercent.ts"
import { shownSelector, validateLabelSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import {
  checkRunsAlways,
  checkSelectorUnchanged,
  checkTemplateLabels,
  isEmptySelector,
  validatePodTemplate
} from "./podTemplate.ts"
import { checkBothNumbers, type RollingUpdate, shownStrategy } from "./rollingUpdate.ts"
import type { Validation } from "./Validation.ts"

/** Upstream: pkg/apis/apps/validation/validation.go, ValidateDaemonSet and ValidateDaemonSetUpdate. */

const options = {
  namespaced: true,
  name: nameIsDNSSubdomain,
  standardFinalizers: true,
  fieldAnnotation: annotationTemplateGeneration
} as const

const checkRollingUpdate = (errors: ErrorList, rollingUpdate: RollingUpdate): void => {
  const path = "spec.updateStrategy.rollingUpdate"
  const { maxSurge = 0, maxUnavailable = 0 } = rollingUpdate
  checkBothNumbers(errors, rollingUpdate, path)
  validateAtMost100Percent(errors, maxUnavailable, `${path}.maxUnavailable`)
  validateAtMost100Percent(errors, maxSurge, `${path}.maxSurge`)
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")
  }
}

/** Unlike other workloads, a DaemonSet may lack a selector; its template then never matches. */
const checkSelector = (errors: ErrorList, { selector, template }: Partial<DaemonSet["spec"]>): void => {
  const before = errors.size
  validateLabelSelector(errors, selector, "spec.selector")
  if (errors.size === before) checkTemplateLabels(errors, selector, template)
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.invalid("spec.selector", shownSelector(selector), "empty selector is invalid for daemonset")
  }
}

const check = (errors: ErrorList, daemonSet: DaemonSet): void => {
  const spec: Partial<DaemonSet["spec"]> = daemonSet.spec ?? {}
  checkSelector(errors, spec)
  validatePodTemplate(errors, spec.template, "spec.template")
  checkRunsAlways(errors, spec.template, "DaemonSet")
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  const { rollingUpdate, type = "" } = spec.updateStrategy ?? {}
  if (type === "RollingUpdate") {
    if (rollingUpdate === undefined) errors.required("spec.updateStrategy.rollingUpdate")
    else checkRollingUpdate(errors, rollingUpdate)
  } else if (type !== "OnDelete") {
    errors.notSupported("spec.updateStrategy", shownStrategy(type, rollingUpdate), ["RollingUpdate", "OnDelete"])
  }
  errors.nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit)
}

export const daemonSetRules: Validation<DaemonSet> = {
  create: (daemonSet) => {
    const errors = new ErrorList()
    validateObjectMeta(errors, daemonSet.metadata, options)
    check(errors, daemonSet)
    return errors.all
  },
  update: (daemonSet, old) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, daemonSet.metadata, old.metadata, options)
    if (daemonSet.spec === old.spec) return errors.all
    checkSelectorUnchanged(errors, daemonSet.spec?.selector, old.spec?.selector)
    check(errors, daemonSet)
    return errors.all
  }
}
