import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../objects/Apps.ts"
import type { KubeObject, LabelSelector } from "../objects/Meta.ts"
import type { IntOrString } from "../objects/Scalars.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { isZero, validateAtMost100Percent, validateIntOrPercent } from "./intOrPercent.ts"
import { shownSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Label, type NameRule, nameIsDNSSubdomain } from "./names.ts"
import { validateSelectorAndTemplate, type WorkloadMessages } from "./podTemplate.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Upstream: pkg/apis/apps/validation/validation.go and the strategies of pkg/registry/apps. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const deploymentMessages: WorkloadMessages = {
  kind: "Deployment",
  emptySelector: "empty selector is invalid for deployment",
  invalidSelector: "invalid label selector"
}
/** Messages for ReplicaSets: like upstream's, they mention deployments. */
const replicaSetMessages: WorkloadMessages = { ...deploymentMessages, kind: "ReplicaSet" }
const daemonSetMessages: WorkloadMessages = {
  ...deploymentMessages,
  kind: "DaemonSet",
  emptySelector: "empty selector is invalid for daemonset"
}
const statefulSetMessages: WorkloadMessages = {
  kind: "StatefulSet",
  emptySelector: "empty selector is invalid for statefulset",
  invalidSelector: ""
}

interface RollingUpdate {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

const checkRollingUpdate = (
  errors: ErrorList,
  { maxSurge = 0, maxUnavailable = 0 }: RollingUpdate,
  path: string
): void => {
  validateIntOrPercent(errors, maxUnavailable, `${path}.maxUnavailable`)
  validateIntOrPercent(errors, maxSurge, `${path}.maxSurge`)
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")
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
    const shown = { Type: type, RollingUpdate: rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate) }
    errors.notSupported("spec.strategy", shown, ["Recreate", "RollingUpdate"])
  }
}

const shownRollingUpdate = ({ maxSurge = 0, maxUnavailable = 0 }: RollingUpdate): unknown => ({
  MaxUnavailable: maxUnavailable,
  MaxSurge: maxSurge
})

const checkDeployment = (errors: ErrorList, deployment: Deployment): void => {
  const spec: Partial<Deployment["spec"]> = deployment.spec ?? {}
  errors.nonNegative("spec.replicas", spec.replicas)
  validateSelectorAndTemplate(errors, spec.selector, spec.template, deploymentMessages)
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
  validateSelectorAndTemplate(errors, spec.selector, spec.template, replicaSetMessages)
}

const checkDaemonSet = (errors: ErrorList, daemonSet: DaemonSet): void => {
  const spec: Partial<DaemonSet["spec"]> = daemonSet.spec ?? {}
  validateSelectorAndTemplate(errors, spec.selector, spec.template, daemonSetMessages)
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  const { rollingUpdate, type = "" } = spec.updateStrategy ?? {}
  if (type === "RollingUpdate") {
    if (rollingUpdate === undefined) errors.required("spec.updateStrategy.rollingUpdate")
    else checkRollingUpdate(errors, rollingUpdate, "spec.updateStrategy.rollingUpdate")
  } else if (type !== "OnDelete") {
    const shown = { Type: type, RollingUpdate: rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate) }
    errors.notSupported("spec.updateStrategy", shown, ["RollingUpdate", "OnDelete"])
  }
  errors.nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit)
}

type StatefulUpdate = NonNullable<NonNullable<StatefulSet["spec"]["updateStrategy"]>["rollingUpdate"]>

const checkStatefulRollingUpdate = (errors: ErrorList, { maxUnavailable, partition }: StatefulUpdate = {}): void => {
  const path = "spec.updateStrategy.rollingUpdate"
  errors.nonNegative(`${path}.partition`, partition)
  if (maxUnavailable === undefined) return
  validateIntOrPercent(errors, maxUnavailable, `${path}.maxUnavailable`)
  if (isZero(maxUnavailable)) errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "cannot be 0")
  validateAtMost100Percent(errors, maxUnavailable, `${path}.maxUnavailable`)
}

const retentions = ["Retain", "Delete"]

const checkRetention = (
  errors: ErrorList,
  policy: StatefulSet["spec"]["persistentVolumeClaimRetentionPolicy"]
): void => {
  if (policy === undefined) return
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    const value: string = policy[field] ?? ""
    if (!retentions.includes(value)) {
      errors.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, retentions)
    }
  }
}

const checkStatefulSet = (errors: ErrorList, statefulSet: StatefulSet, old?: StatefulSet): void => {
  const spec: Partial<StatefulSet["spec"]> = statefulSet.spec ?? {}
  const policy = spec.podManagementPolicy ?? ""
  if (policy === "") errors.required("spec.podManagementPolicy")
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    errors.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
  }
  const type = spec.updateStrategy?.type ?? ""
  if (type === "") errors.required("spec.updateStrategy")
  else if (type === "RollingUpdate") {
    checkStatefulRollingUpdate(errors, spec.updateStrategy?.rollingUpdate)
  }
  checkRetention(errors, spec.persistentVolumeClaimRetentionPolicy)
  errors.nonNegative("spec.replicas", spec.replicas)
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  errors.nonNegative("spec.ordinals.start", spec.ordinals?.start)
  // The name cannot change, and older versions accepted any.
  if (old === undefined && spec.serviceName) {
    errors.invalidEach("spec.serviceName", spec.serviceName, isDNS1123Label(spec.serviceName))
  }
  validateSelectorAndTemplate(errors, spec.selector, spec.template, statefulSetMessages)
}

/** The name of a StatefulSet must be a DNS label, because it is part of its pods' names and of a label's value. */
const statefulSetName: NameRule = (name, prefix) => (prefix ? nameIsDNSSubdomain(name, prefix) : isDNS1123Label(name))

/** Makes the validation of a create from the check of a spec. */
const validatorOf =
  <A extends KubeObject>(check: (errors: ErrorList, object: A) => void, name: NameRule = nameIsDNSSubdomain) =>
  (object: A): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, { ...options, name })
    check(errors, object)
    return errors.all
  }

const checkSelectorUnchanged = (
  errors: ErrorList,
  selector: LabelSelector | undefined,
  old: LabelSelector | undefined
): void => {
  if (!semanticEqual(selector, old)) errors.invalid("spec.selector", shownSelector(selector), "field is immutable")
}

export const validateDeployment = validatorOf(checkDeployment)
export const validateReplicaSet = validatorOf(checkReplicaSet)
export const validateDaemonSet = validatorOf(checkDaemonSet)
export const validateStatefulSet = validatorOf(checkStatefulSet, statefulSetName)

/** Like upstream, which checks the metadata in its generic strategy and in the validation of the kind. */
const checkMetadataUpdate = (errors: ErrorList, object: KubeObject, old: KubeObject): void => {
  validateObjectMetaUpdate(errors, object.metadata, old.metadata)
  validateObjectMetaUpdate(errors, object.metadata, old.metadata, options)
}

export const validateDeploymentUpdate = (deployment: Deployment, old: Deployment): FieldErrors => {
  const errors = new ErrorList()
  checkMetadataUpdate(errors, deployment, old)
  if (deployment.spec === old.spec) return errors.all
  checkDeployment(errors, deployment)
  checkSelectorUnchanged(errors, deployment.spec?.selector, old.spec?.selector)
  return errors.all
}

export const validateReplicaSetUpdate = (replicaSet: ReplicaSet, old: ReplicaSet): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, replicaSet.metadata, old.metadata)
  errors.append(validateReplicaSet(replicaSet))
  validateObjectMetaUpdate(errors, replicaSet.metadata, old.metadata, options)
  if (replicaSet.spec === old.spec) return errors.all
  checkReplicaSet(errors, replicaSet)
  checkSelectorUnchanged(errors, replicaSet.spec?.selector, old.spec?.selector)
  return errors.all
}

export const validateDaemonSetUpdate = (daemonSet: DaemonSet, old: DaemonSet): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, daemonSet.metadata, old.metadata)
  errors.append(validateDaemonSet(daemonSet))
  validateObjectMetaUpdate(errors, daemonSet.metadata, old.metadata, options)
  checkDaemonSet(errors, daemonSet)
  checkSelectorUnchanged(errors, daemonSet.spec?.selector, old.spec?.selector)
  return errors.all
}

const mutableOfStatefulSet = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
] as const

export const validateStatefulSetUpdate = (statefulSet: StatefulSet, old: StatefulSet): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, statefulSet.metadata, old.metadata)
  validateObjectMeta(errors, statefulSet.metadata, { ...options, name: statefulSetName })
  checkStatefulSet(errors, statefulSet, old)
  validateObjectMetaUpdate(errors, statefulSet.metadata, old.metadata, options)
  const immutable: Record<string, unknown> = { ...statefulSet.spec }
  const oldImmutable: Record<string, unknown> = { ...old.spec }
  for (const field of mutableOfStatefulSet) {
    delete immutable[field]
    delete oldImmutable[field]
  }
  if (!semanticEqual(immutable, oldImmutable)) {
    errors.forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
    )
  }
  return errors.all
}
