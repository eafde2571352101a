import {
  type KubeObject,
  type Pod,
  type PodSpec,
  type PriorityClass,
  type Status,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReader } from "./Admission.ts"
import { forbiddenBy } from "./forbiddenBy.ts"

const systemClass = ({ name, value }: { readonly name: string; readonly value: number }, description: string) =>
  ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority"
  }) satisfies PriorityClass

/** The priority classes that a server creates at startup. Upstream: pkg/apis/scheduling/v1/helpers.go. */
export const systemPriorityClasses: ReadonlyArray<PriorityClass> = [
  systemClass(systemNodeCritical, "Used for system critical pods that must not be moved from their current node."),
  systemClass(
    systemClusterCritical,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."
  )
]

/** The fields that a pod takes from its class. The name is empty if it has no class. */
interface ClassFields {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: PriorityClass["preemptionPolicy"] | undefined
}

const withoutClass: ClassFields = { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" }

const fieldsOfClass = ({ metadata, preemptionPolicy, value }: PriorityClass): ClassFields => ({
  name: metadata.name ?? "",
  value,
  preemptionPolicy
})

/** Returns the default class; of several, which only a race can create, the one with the lowest value. */
const defaultClass = (classes: ReadonlyArray<PriorityClass>): PriorityClass | undefined =>
  classes
    .filter(({ globalDefault }) => globalDefault === true)
    .reduce<PriorityClass | undefined>(
      (lowest, candidate) => (lowest === undefined || candidate.value < lowest.value ? candidate : lowest),
      undefined
    )

/** The fields of the default class of each server; without an entry once a class has changed. */
const defaults = new WeakMap<AdmissionReader, ClassFields>()
const observed = new WeakSet<AdmissionReader>()

/** Returns the fields of the default class, or of none. They are found anew when a class has changed, not for each pod. */
const fieldsOfDefault = (reader: AdmissionReader): ClassFields => {
  const known = defaults.get(reader)
  if (known !== undefined) return known
  if (!observed.has(reader)) {
    observed.add(reader)
    reader.observe("PriorityClass", () => void defaults.delete(reader))
  }
  const found = defaultClass(reader.list("PriorityClass"))
  const fields = found === undefined ? withoutClass : fieldsOfClass(found)
  defaults.set(reader, fields)
  return fields
}

/** Returns the fields of the pod's class, or of the default class; undefined if the class does not exist. */
const classOf = (spec: PodSpec, reader: AdmissionReader): ClassFields | undefined => {
  if (!spec.priorityClassName) return fieldsOfDefault(reader)
  const found = reader.get("PriorityClass", "", spec.priorityClassName)
  return found === undefined ? undefined : fieldsOfClass(found)
}

/** Returns a new pod with the fields of its class; refuses other values that the pod has in them. */
const withPriority = (
  pod: Pod,
  attributes: AdmissionAttributes,
  reader: AdmissionReader
): Result.Result<KubeObject, Status> => {
  const { spec } = pod
  const refuse = (why: string) => Result.fail(forbiddenBy(attributes, why))
  const found = classOf(spec, reader)
  if (found === undefined) return refuse(`no PriorityClass with name ${spec.priorityClassName} was found`)
  const mismatchMessage = (what: string, given: unknown, value: unknown) =>
    `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`
  if (spec.priority !== undefined && spec.priority !== found.value) {
    return refuse(mismatchMessage("integer value of priority", spec.priority, found.value))
  }
  const { preemptionPolicy } = found
  if (preemptionPolicy !== undefined && (spec.preemptionPolicy ?? preemptionPolicy) !== preemptionPolicy) {
    return refuse(mismatchMessage("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy))
  }
  return Result.succeed({
    ...pod,
    spec: {
      ...spec,
      ...(found.name === "" ? {} : { priorityClassName: found.name }),
      priority: found.value,
      ...(preemptionPolicy === undefined ? {} : { preemptionPolicy })
    }
  })
}

/** Returns an updated pod with the stored values of both fields, which are immutable, where it omits them. */
const withStoredPriority = (pod: Pod, { preemptionPolicy, priority }: PodSpec): Pod => {
  const { spec } = pod
  const kept = {
    ...(spec.priority === undefined && priority !== undefined ? { priority } : {}),
    ...(spec.preemptionPolicy === undefined && preemptionPolicy !== undefined ? { preemptionPolicy } : {})
  }
  return Object.keys(kept).length === 0 ? pod : { ...pod, spec: { ...spec, ...kept } }
}

/**
 * Sets the priority of a new pod from its class, and rejects a second default class. Upstream:
 * plugin/pkg/admission/priority/admission.go.
 */
export const priorityAdmission: AdmissionPlugin = {
  name: "Priority",
  admits: (kind, verb, subresource) =>
    (kind === "Pod" || kind === "PriorityClass") && verb !== "delete" && subresource === undefined,
  mutate: (attributes, { reader }) => {
    const { object, oldObject, verb } = attributes
    if (attributes.kind !== "Pod") return Result.succeed(object)
    if (verb === "create") return withPriority(object as Pod, attributes, reader)
    return Result.succeed(withStoredPriority(object as Pod, (oldObject as Pod).spec))
  },
  validate: (attributes, { reader }) => {
    const { kind, object, verb } = attributes
    if (kind !== "PriorityClass" || (object as PriorityClass).globalDefault !== true) return undefined
    const currentDefault = defaultClass(reader.list("PriorityClass"))?.metadata.name
    if (currentDefault === undefined || (verb === "update" && currentDefault === object?.metadata.name))
      return undefined
    return forbiddenBy(
      attributes,
      `PriorityClass ${currentDefault} is already marked as default. Only one default can exist`
    )
  }
}
