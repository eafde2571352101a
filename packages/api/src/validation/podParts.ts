import type { Container, ResourceRequirements } from "../objects/Container.ts"
import type { Pod, PodSpec } from "../objects/Pod.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { computeQosClass } from "../Qos.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { goDiff } from "./goDiff.ts"
import { validateObjectMetaUpdate } from "./metadata.ts"
import { checkPodMetadataAndSpec } from "./pod.ts"
import { validatePodAnnotationsUpdate } from "./podAnnotations.ts"

/*
 * Writes of parts of a pod through its subresources ephemeralcontainers and resize. Upstream:
 * pkg/apis/core/validation/validation.go, ValidatePodEphemeralContainersUpdate and ValidatePodResize.
 */

const mirrorAnnotation = "kubernetes.io/config.mirror"

const onlyError = (detail: string): FieldErrors => {
  const errors = new ErrorList()
  errors.forbidden("[]", detail)
  return errors.all
}

const checkWhole = (errors: ErrorList, pod: Pod, old: Pod): void => {
  validateObjectMetaUpdate(errors, pod.metadata, old.metadata, { standardFinalizers: true })
  checkPodMetadataAndSpec(errors, pod)
}

export const validateEphemeralContainersUpdate = (pod: Pod, old: Pod): FieldErrors => {
  const errors = new ErrorList()
  checkWhole(errors, pod, old)
  validatePodAnnotationsUpdate(errors, pod.metadata, old.metadata, pod.spec, "metadata.annotations")
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return onlyError("static pods do not support ephemeral containers")
  }
  const byName = new Map(pod.spec.ephemeralContainers?.map((container) => [container.name, container]))
  for (const stored of old.spec.ephemeralContainers ?? []) {
    const next = byName.get(stored.name)
    const what = `existing ephemeral containers ${JSON.stringify(stored.name)} may not be`
    if (next === undefined) errors.forbidden("spec.ephemeralContainers", `${what} removed\n`)
    else if (!equalAs("core.v1.EphemeralContainer", next, stored)) {
      errors.forbidden("spec.ephemeralContainers", `${what} changed\n${goDiff("EphemeralContainer", stored, next)}`)
    }
  }
  return errors.all
}

const lists = ["initContainers", "containers"] as const

/** Checks that the containers are the same ones in the same order; later checks pair them by position. */
const checkOrder = (errors: ErrorList, spec: PodSpec, old: PodSpec): boolean => {
  const before = errors.size
  for (const list of ["containers", "initContainers"] as const) {
    const [given, stored] = [spec[list] ?? [], old[list] ?? []]
    if (given.length !== stored.length)
      errors.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)
    else {
      given.forEach(({ name }, index) => {
        if (name === stored[index]?.name) return
        errors.forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)
      })
    }
  }
  return errors.size === before
}

const isRemoved = (list: ResourceList = {}, old: ResourceList = {}): boolean =>
  Object.keys(old).some((name) => list[name] === undefined)

const checkRemovals = (errors: ErrorList, container: Container, old: Container, path: string): void => {
  for (const list of ["requests", "limits"] as const) {
    if (isRemoved(container.resources?.[list], old.resources?.[list])) {
      errors.forbidden(`${path}.resources.${list}`, `resource ${list} cannot be removed`)
    }
  }
}

const isBare = ({ claims, limits, requests }: ResourceRequirements): boolean =>
  [claims, limits, requests].every((part) => Object.keys(part ?? {}).length === 0)

/** Returns the resources with the old amounts of CPU and memory, which may change. */
const withOldAmounts = (resources: ResourceRequirements = {}, old: ResourceRequirements = {}): ResourceRequirements => {
  const amounts = (list: "limits" | "requests") => {
    const { cpu: _cpu, memory: _memory, ...others } = resources[list] ?? {}
    const { cpu, memory } = old[list] ?? {}
    return { ...others, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
  }
  return { limits: amounts("limits"), requests: amounts("requests") }
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always"

const checkOtherResources = (errors: ErrorList, spec: PodSpec, old: PodSpec): void => {
  const differs = (container: Container, stored: Container) =>
    !equalAs(
      "core.v1.Container",
      { ...container, resources: withOldAmounts(container.resources, stored.resources) },
      stored
    )
  spec.containers.forEach((container, index) => {
    if (differs(container, old.containers[index] as Container)) {
      errors.forbidden("spec", "only cpu and memory resources are mutable")
    }
  })
  spec.initContainers?.forEach((container, index) => {
    const stored = old.initContainers?.[index] as Container
    const path = `spec.initContainers[${index}]`
    if (differs(container, stored)) {
      errors.forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable")
    }
    if (isSidecar(container) || equalAs("core.v1.Container", container, stored)) return
    for (const { restartPolicy } of container.resizePolicy ?? []) {
      if (restartPolicy !== "RestartContainer") continue
      const detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
      errors.forbidden(path, detail)
    }
  })
}

/** Checks the resources of the pod as a whole. */
const checkPodLevel = (errors: ErrorList, { resources }: PodSpec, { resources: old }: PodSpec): void => {
  const isSet = (given: ResourceRequirements | undefined) =>
    Object.keys({ ...given?.requests, ...given?.limits }).length > 0
  if (!isSet(resources) && !isSet(old)) return
  if (old !== undefined && resources === undefined) {
    errors.forbidden("spec.resources", "pod-level resources cannot be removed")
    return
  }
  for (const list of ["requests", "limits"] as const) {
    if (old !== undefined && isRemoved(resources?.[list], old[list])) {
      errors.forbidden(`spec.resources.${list}`, `pod-level resource ${list} cannot be removed`)
    }
  }
  const masked = { ...resources, ...withOldAmounts(resources, old) }
  // A pod that had none may get amounts of CPU and memory, and nothing else.
  const kept = old === undefined && isBare(masked) ? undefined : masked
  if (!equalAs("core.v1.ResourceRequirements", kept, old)) {
    errors.forbidden("spec", "only cpu and memory resources are mutable at pod-level")
  }
}

/** Whether the pod's node can resize pods: one that cannot does not report the resources of running containers. */
const isSupported = ({ status }: Pod): boolean => {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

export const validatePodResize = (pod: Pod, old: Pod): FieldErrors => {
  const errors = new ErrorList()
  checkWhole(errors, pod, old)
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) return onlyError("static pods cannot be resized")
  if (old.spec.os?.name === "windows") return onlyError("windows pods cannot be resized")
  const options = { podLevelResources: true }
  if ((old.status?.qosClass ?? computeQosClass(old, options)) !== computeQosClass(pod, options)) {
    const detail = "Pod QOS Class may not change as a result of resizing"
    errors.invalid("spec", typed(pod.status?.qosClass ?? ""), detail)
  }
  if (!isSupported(old)) errors.forbidden("spec", "Pod running on node without support for resize")
  checkPodLevel(errors, pod.spec, old.spec)
  if (old.status !== undefined && "nodeAllocatableResourceClaimStatuses" in old.status) {
    errors.forbidden("spec", "pods with node allocatable resource claims cannot be resized")
  }
  if (!checkOrder(errors, pod.spec, old.spec)) return errors.all
  for (const list of lists) {
    old.spec[list]?.forEach((stored, index) => {
      checkRemovals(errors, pod.spec[list]?.[index] ?? stored, stored, `spec.${list}[${index}]`)
    })
  }
  checkOtherResources(errors, pod.spec, old.spec)
  return errors.all
}
