import type { Container } from "../objects/Container.ts"
import type { Binding, Pod, PodSpec } from "../objects/Pod.ts"
import { validateImageText } from "./containers.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, noErrors } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain, rangeText } from "./names.ts"
import { validateNodeAffinityNarrowing } from "./nodeAffinity.ts"
import { validatePodAnnotations, validatePodAnnotationsUpdate } from "./podAnnotations.ts"
import { validatePodSpec } from "./podSpec.ts"
import { validateProfilesMatch } from "./profileAnnotations.ts"
import { validateTolerationsUpdate } from "./tolerations.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodCreate and ValidatePodUpdate. */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const noSpec: PodSpec = { containers: [] }
const specOf = (pod: Pod): PodSpec => pod.spec ?? noSpec

/** Checks everything that any write of a pod must satisfy. */
export const checkPodMetadataAndSpec = (errors: ErrorList, pod: Pod): void => {
  const spec = specOf(pod)
  validateObjectMeta(errors, pod.metadata, options)
  validatePodAnnotations(errors, pod.metadata?.annotations, spec, "metadata.annotations")
  checkSpec(errors, spec, pod.metadata?.name)
}

/** Specs without errors, which pods of one template share. */
const valid = new WeakSet<PodSpec>()

const checkSpec = (errors: ErrorList, spec: PodSpec, podName: string | undefined): void => {
  if (valid.has(spec)) return
  const { size } = errors
  validatePodSpec(errors, spec, "spec", true, podName)
  spec.containers?.forEach((container, index) => void validateImageText(errors, container, `spec.containers[${index}]`))
  spec.initContainers?.forEach((container, index) => {
    validateImageText(errors, container, `spec.initContainers[${index}]`)
  })
  // The claims of ephemeral volumes are named after the pod.
  const dependsOnName = spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true
  if (errors.size === size && spec !== noSpec && !dependsOnName) valid.add(spec)
}

/** Validates a Pod to be created, after defaulting and admission. */
export const validatePod = (pod: Pod): FieldErrors => {
  const errors = new ErrorList()
  const { ephemeralContainers, nodeName, schedulingGates } = specOf(pod)
  checkPodMetadataAndSpec(errors, pod)
  if (ephemeralContainers?.length) errors.forbidden("spec.ephemeralContainers", "cannot be set on create")
  if (nodeName && schedulingGates?.length) {
    errors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")
  }
  validateProfilesMatch(errors, pod.metadata?.annotations, specOf(pod), "spec")
  return errors.all
}

/** Returns false if the validation must stop, because later checks pair containers by position. */
const checkContainers = (
  errors: ErrorList,
  containers: ReadonlyArray<Container> = [],
  old: ReadonlyArray<Container> = [],
  path: string
): boolean => {
  if (containers.length !== old.length) {
    errors.forbidden(path, "pod updates may not add or remove containers")
    return false
  }
  containers.forEach((container, index) => {
    if (!container.image) errors.required(`${path}[${index}].image`)
    validateImageText(errors, container, `${path}[${index}]`)
  })
  return true
}

const deadlinePath = "spec.activeDeadlineSeconds"

/** Checks that the deadline is only set or lowered. Returns false if the validation must stop. */
const checkDeadline = (errors: ErrorList, deadline: number | undefined, old: number | undefined): boolean => {
  if (deadline === undefined) {
    if (old !== undefined) errors.invalid(deadlinePath, null, "must not update from a positive integer to nil value")
    return true
  }
  const max = 2 ** 31 - 1
  if (deadline < 0 || deadline > max) {
    errors.invalid(deadlinePath, deadline, rangeText(0, max))
    return false
  }
  if (old === undefined || old >= deadline) return true
  errors.invalid(deadlinePath, deadline, "must be less than or equal to previous value")
  return false
}

const checkGates = (errors: ErrorList, spec: PodSpec, old: PodSpec): void => {
  const known = new Set(old.schedulingGates?.map(({ name }) => name))
  spec.schedulingGates?.forEach(({ name }, index) => {
    if (known.has(name)) return
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.forbidden(`spec.schedulingGates[${index}].name`, detail)
  })
}

/** Returns the containers with the images of the old ones. */
const withOldImages = (
  containers: ReadonlyArray<Container> | undefined,
  old: ReadonlyArray<Container> | undefined
): ReadonlyArray<Container> | undefined =>
  containers?.map((container, index) => ({ ...container, image: old?.[index]?.image ?? "" }))

type Affinity = PodSpec["affinity"]

/** Returns the new affinity with the old one's part that a gated pod may narrow, which is checked. */
const withOldNodeAffinity = (errors: ErrorList, affinity: Affinity, old: Affinity): Affinity => {
  const { nodeAffinity, ...others } = affinity ?? {}
  const kept = old?.nodeAffinity
  if (equalAs("core.v1.NodeAffinity", nodeAffinity, kept)) return affinity
  validateNodeAffinityNarrowing(errors, nodeAffinity, kept, "spec.affinity.nodeAffinity")
  const isNew = old === undefined && Object.keys(others).length === 0
  return isNew ? undefined : { ...others, ...(kept && { nodeAffinity: kept }) }
}

/** Returns the new spec with all mutable fields reset to their old values: any remaining difference is an error. */
const withoutAllowedChanges = (errors: ErrorList, spec: PodSpec, old: PodSpec): Readonly<Record<string, unknown>> => {
  const unchanged: Record<string, unknown> = {
    ...spec,
    containers: withOldImages(spec.containers, old.containers),
    initContainers: withOldImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations
  }
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    unchanged.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds
  }
  if (old.schedulingGates?.length) {
    const narrows = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => spec.nodeSelector?.[key] === value)
    if (!narrows) {
      const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
      errors.invalid("spec.nodeSelector", spec.nodeSelector ?? null, detail)
    }
    unchanged.nodeSelector = old.nodeSelector
    unchanged.affinity = withOldNodeAffinity(errors, spec.affinity, old.affinity)
  }
  return unchanged
}

const mutableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
].join(",")

const checkSpecUpdate = (errors: ErrorList, spec: PodSpec, old: PodSpec): void => {
  if (spec === old) return
  if (!checkContainers(errors, spec.containers, old.containers, "spec.containers")) return
  if (!checkContainers(errors, spec.initContainers, old.initContainers, "spec.initContainers")) return
  if (!checkDeadline(errors, spec.activeDeadlineSeconds, old.activeDeadlineSeconds)) return
  validateTolerationsUpdate(errors, spec.tolerations, old.tolerations, "spec.tolerations")
  checkGates(errors, spec, old)
  if (equalAs("core.v1.PodSpec", spec, old)) return
  const unchanged = withoutAllowedChanges(errors, spec, old)
  if (equalAs("core.v1.PodSpec", unchanged, old)) return
  const difference = goDiff("PodSpec", old, unchanged)
  errors.forbidden("spec", `pod updates may not change fields other than ${mutableFields}\n${difference}`)
}

/** Validates an update of the Pod itself: labels, annotations, and a few fields of its spec. */
export const validatePodUpdate = (pod: Pod, old: Pod): FieldErrors => {
  if (pod === old) return noErrors
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, pod.metadata, old.metadata, options)
  // A spec that both versions share was checked when it was stored.
  if (pod.spec !== old.spec || pod.metadata.annotations !== old.metadata.annotations)
    checkPodMetadataAndSpec(errors, pod)
  else validateObjectMeta(errors, pod.metadata, options)
  validatePodAnnotationsUpdate(errors, pod.metadata, old.metadata, specOf(pod), "metadata.annotations")
  checkSpecUpdate(errors, specOf(pod), specOf(old))
  return errors.all
}

/** Validates the body of a POST to pods/binding. */
export const validateBinding = (binding: Binding): FieldErrors => {
  const errors = new ErrorList()
  const { kind = "", name = "" } = binding.target ?? {}
  if (kind !== "" && kind !== "Node") errors.notSupportedText("target.kind", kind, ["Node", "<empty>"])
  if (name === "") errors.required("target.name")
  return errors.all
}
