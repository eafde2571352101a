import { goQuote, type Pod, type RuntimeClass, type Toleration, unknownError } from "@rollcall/api"
import { resourceNameFault } from "@rollcall/api/validation"
import { sameValue } from "@rollcall/api/values"
import * as Result from "effect/Result"
import type { AdmissionPlugin, AdmissionReader } from "./Admission.ts"
import { forbiddenBy } from "./forbiddenBy.ts"

const classOf = (name: string | undefined, reader: AdmissionReader): RuntimeClass | undefined =>
  name ? reader.get("RuntimeClass", "", name) : undefined

/**
 * Sets the overhead of a new pod's runtime class, and restricts the pod to the nodes that support the class. Upstream:
 * plugin/pkg/admission/runtimeclass/admission.go; KEP-688.
 */
export const runtimeClassAdmission: AdmissionPlugin = {
  name: "RuntimeClass",
  admits: (kind, verb, subresource) => kind === "Pod" && verb === "create" && subresource === undefined,
  mutate: (attributes, { reader }) => {
    const pod = attributes.object as Pod
    const name = pod.spec.runtimeClassName
    if (name === undefined) return Result.succeed(pod)
    const found = classOf(name, reader)
    const refuse = (why: string) => Result.fail(forbiddenBy(attributes, why))
    if (found === undefined) {
      // Upstream asks the API for a class that its cache lacks.
      const fault = resourceNameFault(name)
      return fault === undefined
        ? refuse(`pod rejected: RuntimeClass ${goQuote(name)} not found`)
        : Result.fail(unknownError(fault))
    }
    const overhead = found.overhead?.podFixed
    const own = pod.spec.overhead ?? {}
    if (overhead !== undefined && Object.keys(own).length > 0 && !sameValue(overhead, own)) {
      return refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    }
    const scheduledPod = withScheduling(pod, found)
    if (typeof scheduledPod === "string") return refuse(scheduledPod)
    return Result.succeed(
      overhead === undefined ? scheduledPod : { ...scheduledPod, spec: { ...scheduledPod.spec, overhead } }
    )
  },
  validate: (attributes, { reader }) => {
    const pod = attributes.object as Pod
    const hasOwnOverhead = pod.spec.overhead !== undefined && !classOf(pod.spec.runtimeClassName, reader)?.overhead
    return hasOwnOverhead
      ? forbiddenBy(attributes, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
      : undefined
  }
}

/** Returns the pod with the scheduling constraints of its runtime class, or why they conflict. */
const withScheduling = (pod: Pod, { scheduling }: RuntimeClass): Pod | string => {
  if (scheduling === undefined) return pod
  const own = pod.spec.nodeSelector ?? {}
  const required = scheduling.nodeSelector ?? {}
  for (const [key, value] of Object.entries(required)) {
    const given = own[key]
    if (given !== undefined && given !== value) {
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`
    }
  }
  const tolerations = mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? [])
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(Object.keys(required).length === 0 ? {} : { nodeSelector: { ...own, ...required } }),
      ...(tolerations.length === 0 ? {} : { tolerations })
    }
  }
}

/**
 * Concatenates the tolerations. Of one that another includes, only the other is kept; of equal ones, the first. Upstream:
 * pkg/util/tolerations MergeTolerations.
 */
const mergeTolerations = (
  first: ReadonlyArray<Toleration>,
  second: ReadonlyArray<Toleration>
): ReadonlyArray<Toleration> => {
  const all = [...first, ...second]
  const merged: Array<Toleration> = []
  for (const [index, one] of all.entries()) {
    const isIncluded =
      merged.some((other) => includes(other, one)) ||
      all.slice(index + 1).some((other) => !sameValue(one, other) && includes(other, one))
    if (!isIncluded) merged.push(one)
  }
  return merged
}

/** Whether a toleration tolerates all that another does. */
const includes = (larger: Toleration, smaller: Toleration): boolean => {
  if (sameValue(larger, smaller)) return true
  const { effect = "", key = "", operator = "", tolerationSeconds, value = "" } = larger
  if (key !== (smaller.key ?? "") && (key !== "" || operator !== "Exists")) return false
  if (effect !== "" && effect !== (smaller.effect ?? "")) return false
  if (effect === "NoExecute" && tolerationSeconds !== undefined) {
    if (smaller.tolerationSeconds === undefined || smaller.tolerationSeconds > tolerationSeconds) return false
  }
  if (operator === "Exists") return true
  return (operator === "" || operator === "Equal") && smaller.operator === "Equal" && value === (smaller.value ?? "")
}
