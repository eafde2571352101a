import type { StatefulSet } from "../objects/Apps.ts"
import type { PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { PodTemplateSpec } from "../objects/Pod.ts"
import { validateClaimSpec } from "./claimSpec.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { typed } from "./FieldError.ts"
import { isZero, validateAtMost100Percent, validateIntOrPercent } from "./intOrPercent.ts"
import { shownSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Label, nameIsDNSLabel } from "./names.ts"
import {
  checkRunsAlways,
  checkSelector,
  checkTemplateLabels,
  checkTemplateMetadata,
  isEmptySelector,
  validatePodTemplate
} from "./podTemplate.ts"
import type { Validation } from "./Validation.ts"

/** Upstream: pkg/apis/apps/validation/validation.go, ValidateStatefulSet and ValidateStatefulSetUpdate. */

type Spec = Partial<StatefulSet["spec"]>
type RollingUpdate = NonNullable<NonNullable<Spec["updateStrategy"]>["rollingUpdate"]>

const options = { namespaced: true, name: nameIsDNSLabel, standardFinalizers: true } as const

const checkRollingUpdate = (errors: ErrorList, { maxUnavailable, partition }: RollingUpdate): void => {
  const path = "spec.updateStrategy.rollingUpdate"
  errors.nonNegative(`${path}.partition`, partition)
  if (maxUnavailable === undefined) return
  validateIntOrPercent(errors, maxUnavailable, `${path}.maxUnavailable`)
  if (isZero(maxUnavailable)) errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "cannot be 0")
  validateAtMost100Percent(errors, maxUnavailable, `${path}.maxUnavailable`)
}

const shownRollingUpdate = ({ maxUnavailable, partition = 0 }: RollingUpdate): unknown => ({
  Partition: partition,
  MaxUnavailable: maxUnavailable ?? null
})

const checkStrategy = (errors: ErrorList, strategy: Spec["updateStrategy"] = {}): void => {
  const { rollingUpdate } = strategy
  const type: string = strategy.type ?? ""
  const path = "spec.updateStrategy"
  const shown = rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate)
  if (type === "") errors.required(path)
  else if (type === "RollingUpdate") {
    if (rollingUpdate !== undefined) checkRollingUpdate(errors, rollingUpdate)
  } else if (type !== "OnDelete") {
    errors.invalid(path, { Type: type, RollingUpdate: shown }, "must be 'RollingUpdate' or 'OnDelete'")
  } else if (rollingUpdate !== undefined) {
    errors.invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'")
  }
}

const retentions = ["Retain", "Delete"]

const checkRetention = (errors: ErrorList, policy: Spec["persistentVolumeClaimRetentionPolicy"]): void => {
  if (policy === undefined) return
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    const value: string = policy[field] ?? ""
    if (!retentions.includes(value)) {
      errors.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, retentions)
    }
  }
}

/**
 * Returns the template as its pods have it: with a volume for each claim, and without the names that the controller
 * sets.
 */
const templateOfPods = ({ template, volumeClaimTemplates }: Spec): PodTemplateSpec | undefined => {
  if (template?.spec === undefined) return template
  const { hostname: _hostname, subdomain: _subdomain, volumes, ...spec } = template.spec
  const names = new Set(claimsOf(volumeClaimTemplates).map(({ metadata }) => metadata?.name ?? ""))
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = volumes?.filter(({ name }) => !names.has(name)) ?? []
  const all = [...claims, ...others]
  return { ...template, spec: all.length === 0 ? spec : { ...spec, volumes: all } }
}

const claimsOf = (templates: Spec["volumeClaimTemplates"]): ReadonlyArray<PersistentVolumeClaim> =>
  (templates ?? []) as unknown as ReadonlyArray<PersistentVolumeClaim>

/** `update` is set for updates, which do not check what never changes, nor a template that was invalid before. */
interface Update {
  readonly skipsTemplate: boolean
}

const checkTemplate = (errors: ErrorList, spec: Spec, update: Update | undefined): void => {
  const { selector } = spec
  if (!checkSelector(errors, selector, "empty selector is invalid for statefulset")) {
    errors.invalid("spec.selector", shownSelector(selector), "")
    return
  }
  const template = templateOfPods(spec)
  if (selector === undefined || !isEmptySelector(selector)) checkTemplateLabels(errors, selector, template)
  if (update?.skipsTemplate !== true) validatePodTemplate(errors, template, "spec.template")
  checkTemplateMetadata(errors, template, "spec.template")
}

const checkSpec = (errors: ErrorList, spec: Spec, update?: Update): void => {
  const policy = spec.podManagementPolicy ?? ""
  if (policy === "") errors.required("spec.podManagementPolicy")
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    errors.invalid("spec.podManagementPolicy", typed(policy), "must be 'OrderedReady' or 'Parallel'")
  }
  checkStrategy(errors, spec.updateStrategy)
  checkRetention(errors, spec.persistentVolumeClaimRetentionPolicy)
  if (update === undefined) {
    claimsOf(spec.volumeClaimTemplates).forEach((claim, index) => {
      validateClaimSpec(errors, claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`)
    })
  }
  errors.nonNegative("spec.replicas", spec.replicas)
  errors.nonNegative("spec.minReadySeconds", spec.minReadySeconds)
  errors.nonNegative("spec.ordinals.start", spec.ordinals?.start)
  if (update === undefined && spec.serviceName) {
    errors.invalidEach("spec.serviceName", spec.serviceName, isDNS1123Label(spec.serviceName))
  }
  checkTemplate(errors, spec, update)
  checkRunsAlways(errors, spec.template, "StatefulSet")
}

const mutable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
] as const

const immutablePartOf = (spec: Spec): unknown => {
  const rest: Record<string, unknown> = { ...spec }
  for (const field of mutable) delete rest[field]
  return rest
}

const isValid = (spec: Spec): boolean => {
  const errors = new ErrorList()
  checkSpec(errors, spec, { skipsTemplate: false })
  return errors.size === 0
}

export const statefulSetRules: Validation<StatefulSet> = {
  create: ({ metadata, spec = {} }) => {
    const errors = new ErrorList()
    validateObjectMeta(errors, metadata, options)
    checkSpec(errors, spec)
    return errors.all
  },
  update: ({ metadata, spec = {} }, { metadata: oldMetadata, spec: old = {} }) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, metadata, oldMetadata, options)
    if (spec === old) return errors.all
    checkSpec(errors, spec, { skipsTemplate: !isValid(old) })
    if (!equalAs("apps.v1.StatefulSetSpec", immutablePartOf(spec), immutablePartOf(old))) {
      errors.forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
      )
    }
    return errors.all
  }
}
