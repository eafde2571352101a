import type { Deployment, ReplicaSet } from "../objects/Apps.ts"
import type { KubeObject } from "../objects/Meta.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { isZero, shownIntOrString, validateAtMost100Percent } from "./intOrPercent.ts"
import { shownSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import {
  checkRunsAlways,
  checkSelector,
  checkSelectorUnchanged,
  checkTemplateLabels,
  isEmptySelector,
  validatePodTemplate
} from "./podTemplate.ts"
import { checkBothNumbers, type RollingUpdate, shownStrategy } from "./rollingUpdate.ts"

/** Upstream: pkg/apis/apps/validation/validation.go and the strategies of pkg/registry/apps. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const checkRollingUpdate = (
  errors: ErrorList,
  { maxSurge = 0, maxUnavailable = 0 }: RollingUpdate,
  path: string
): void => {
  checkBothNumbers(errors, { maxSurge, maxUnavailable }, path)
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.invalid(`${path}.maxUnavailable`, shownIntOrString(maxUnavailable), "may not be 0 when `maxSurge` is 0")
  }
  validateAtMost100Percent(errors, maxUnavailable, `${path}.maxUnavailable`)
}

const checkStrategy = (errors: ErrorList, strategy: Deployment["spec"]["strategy"] = {}): void => {
  const { rollingUpdate, type = "" } = strategy
  const path = "spec.strategy.rollingUpdate"
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      errors.forbidden(path, "may not be specified when strategy `type` is 'Recreate'")
    }
  } else if (type === "RollingUpdate") {
    if (rollingUpdate === undefined) errors.required(path, "this should be defaulted and never be nil")
    else checkRollingUpdate(errors, rollingUpdate, path)
  } else {
    errors.notSupported("spec.strategy", shownStrategy(type, rollingUpdate), ["Recreate", "RollingUpdate"])
  }
}

/** Upstream: ValidatePodTemplateSpecForReplicaSet, with the check of the selector before it; messages name deployments. */
const checkSelectorAndTemplate = (errors: ErrorList, spec: Partial<Deployment["spec"] | ReplicaSet["spec"]>): void => {
  const { selector, template } = spec
  if (!checkSelector(errors, selector, "empty selector is invalid for deployment")) {
    errors.invalid("spec.selector", shownSelector(selector), "invalid label selector")
    return
  }
  if (selector === undefined || !isEmptySelector(selector)) checkTemplateLabels(errors, selector, template)
  validatePodTemplate(errors, template, "spec.template")
  checkRunsAlways(errors, template, "ReplicaSet")
}

const checkDeployment = (errors: ErrorList, deployment: Deployment): void => {
  const spec: Partial<Deployment["spec"]> = deployment.spec ?? {}
  errors.nonNegative("spec.replicas", spec.replicas)
  checkSelectorAndTemplate(errors, spec)
  checkStrategy(errors, spec.strategy)
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  errors.nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit)
  const deadline = spec.progressDeadlineSeconds
  errors.nonNegative("spec.progressDeadlineSeconds", deadline)
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    errors.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
  }
}

const checkReplicaSet = (errors: ErrorList, replicaSet: ReplicaSet): void => {
  const spec: Partial<ReplicaSet["spec"]> = replicaSet.spec ?? {}
  errors.nonNegative("spec.replicas", spec.replicas)
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  checkSelectorAndTemplate(errors, spec)
}

/** Makes the validation of a create from the check of a spec. */
const validatorOf =
  <A extends KubeObject>(check: (errors: ErrorList, object: A) => void) =>
  (object: A): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, options)
    check(errors, object)
    return errors.all
  }

export const validateDeployment = validatorOf(checkDeployment)
export const validateReplicaSet = validatorOf(checkReplicaSet)
export const validateDeploymentUpdate = (deployment: Deployment, old: Deployment): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, deployment.metadata, old.metadata, options)
  if (deployment.spec === old.spec) return errors.all
  checkDeployment(errors, deployment)
  checkSelectorUnchanged(errors, deployment.spec?.selector, old.spec?.selector)
  return errors.all
}

export const validateReplicaSetUpdate = (replicaSet: ReplicaSet, old: ReplicaSet): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, replicaSet.metadata, old.metadata, options)
  if (replicaSet.spec === old.spec) return errors.all
  checkReplicaSet(errors, replicaSet)
  checkSelectorUnchanged(errors, replicaSet.spec?.selector, old.spec?.selector)
  return errors.all
}
