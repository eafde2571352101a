import {
  type Amounts,
  type Container,
  compareQuantity,
  milliValue,
  type Node,
  type Pod,
  podRequests,
  type ResourceList,
  type Status,
  value,
  zeroQuantity
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "./Admission.ts"
import { forbiddenBy } from "./forbiddenBy.ts"

/** Whether the write changes the spec of a pod that is on a node. */
const changesBoundPod = ({ object, oldObject }: AdmissionAttributes): boolean =>
  Boolean((object as Pod).spec.nodeName) && object?.metadata.generation !== oldObject?.metadata.generation

/** Checks a change with the node of the pod. */
const checkNode = (
  attributes: AdmissionAttributes,
  { reader }: AdmissionContext,
  check: (node: Node) => Status | undefined
): Status | undefined => {
  const { nodeName = "" } = (attributes.object as Pod).spec
  const node = reader.get("Node", "", nodeName)
  return node === undefined ? forbiddenBy(attributes, `node ${JSON.stringify(nodeName)} not found`) : check(node)
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always"

/** The features that a node must declare, in order, and the changes that need them. */
const updateFeatures: ReadonlyArray<readonly [string, (pod: Pod["spec"], old: Pod["spec"]) => boolean]> = [
  ["InPlacePodLevelResourcesVerticalScaling", ({ resources }, old) => !sameValue(resources, old.resources)],
  [
    "InPlacePodVerticalScalingInitContainers",
    ({ initContainers = [] }, old) =>
      (old.initContainers ?? []).some(
        (container, index) => !isSidecar(container) && !sameValue(initContainers[index]?.resources, container.resources)
      )
  ]
]

/**
 * Refuses a change that the pod's node cannot make, as its declared features say. Upstream:
 * plugin/pkg/admission/nodedeclaredfeatures; KEP-5328.
 */
export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  admits: (kind, verb, subresource) =>
    kind === "Pod" && verb === "update" && (subresource === undefined || subresource === "resize"),
  validate: (attributes, context) => {
    if (!changesBoundPod(attributes)) return undefined
    const [pod, old] = [attributes.object as Pod, attributes.oldObject as Pod]
    const needed = updateFeatures.flatMap(([feature, isNeededBy]) => (isNeededBy(pod.spec, old.spec) ? [feature] : []))
    if (needed.length === 0) return undefined
    return checkNode(attributes, context, ({ metadata, status }) => {
      const missing = needed.filter((feature) => !status?.declaredFeatures?.includes(feature))
      if (missing.length === 0) return undefined
      const why = `pod update requires features ${missing.join(", ")} which are not available on node ${JSON.stringify(metadata.name)}`
      return forbiddenBy(attributes, why)
    })
  }
}

/** The refusal with a machine-readable reason. */
const withCause = (status: Status, reason: string): Status => ({
  ...status,
  details: { ...status.details, causes: [{ reason }] }
})

/** Returns why the requests exceed what the node can allocate. */
const excessOf = (requests: Amounts, allocatable: ResourceList): string | undefined => {
  const excess = (name: "cpu" | "memory", shown: typeof value): ReadonlyArray<string> => {
    const requested = requests[name] ?? zeroQuantity
    const limit = allocatable[name] ?? zeroQuantity
    if (compareQuantity(requested, limit) <= 0) return []
    return [`${name}, requested: ${shown(requested)}, allocatable: ${shown(limit)}`]
  }
  const all = [...excess("cpu", milliValue), ...excess("memory", value)]
  return all.length === 0 ? undefined : `node didn't have enough allocatable resources: ${all.join("; ")}`
}

/**
 * Refuses to resize a pod beyond its node, or on a node that does not run Linux. Upstream:
 * plugin/pkg/admission/podresize; KEP-1287.
 */
export const podResizeValidator: AdmissionPlugin = {
  name: "PodResizeValidator",
  admits: (kind, verb, subresource) => kind === "Pod" && verb === "update" && subresource === "resize",
  validate: (attributes, context) => {
    if (!changesBoundPod(attributes)) return undefined
    return checkNode(attributes, context, ({ metadata, status }) => {
      const system = metadata.labels?.["kubernetes.io/os"]
      if (system !== undefined && system !== "linux") {
        const [name, os] = [metadata.name, system].map((text) => JSON.stringify(text))
        const why = `pod resize is only supported on linux nodes, node ${name} is ${os}`
        return withCause(forbiddenBy(attributes, why), "UnsupportedPlatform")
      }
      const excess = excessOf(podRequests(attributes.object as Pod), status?.allocatable ?? {})
      return excess === undefined ? undefined : withCause(forbiddenBy(attributes, excess), "NodeCapacity")
    })
  }
}
