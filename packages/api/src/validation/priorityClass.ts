import type { PriorityClass } from "../objects/Scheduling.ts"
import { highestUserPriority, systemClusterCritical, systemNodeCritical } from "../wellKnown.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"

/** Returns the error of a class with a reserved name; undefined for the two that Kubernetes creates itself. */
const systemClassFault = (priorityClass: PriorityClass, name: string): string | undefined => {
  const known = [systemNodeCritical, systemClusterCritical].find((system) => system.name === name)
  if (known === undefined) return `${name} is not a known system priority class`
  if ((priorityClass.value ?? 0) !== known.value) return `value of ${name} PriorityClass must be ${known.value}`
  return priorityClass.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export const validatePreemptionPolicy = (errors: ErrorList, policy: string | undefined, path: string): void => {
  if (policy === undefined || policy === "PreemptLowerPriority" || policy === "Never") return
  if (policy === "") errors.required(path)
  else errors.notSupported(path, policy, ["PreemptLowerPriority", "Never"])
}

/** Upstream: pkg/apis/scheduling/validation/validation.go. */
export const validatePriorityClass = (priorityClass: PriorityClass): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, priorityClass.metadata, {
    namespaced: false,
    name: nameIsDNSSubdomain,
    standardFinalizers: true
  })
  const name = priorityClass.metadata?.name ?? ""
  if (name.startsWith("system-")) {
    const fault = systemClassFault(priorityClass, name)
    if (fault !== undefined) {
      errors.forbidden(
        "metadata.name",
        `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`
      )
    }
  } else if (priorityClass.value > highestUserPriority) {
    errors.forbidden("value", `maximum allowed value of a user defined priority is ${highestUserPriority}`)
  }
  validatePreemptionPolicy(errors, priorityClass.preemptionPolicy, "preemptionPolicy")
  return errors.all
}

export const validatePriorityClassUpdate = (priorityClass: PriorityClass, old: PriorityClass): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, priorityClass.metadata, old.metadata, { standardFinalizers: true })
  if ((priorityClass.value ?? 0) !== (old.value ?? 0)) errors.forbidden("value", "may not be changed in an update.")
  if (priorityClass.preemptionPolicy !== old.preemptionPolicy) {
    errors.invalid("preemptionPolicy", typed(priorityClass.preemptionPolicy), "field is immutable")
  }
  return errors.all
}
