import type { KubeObject } from "../objects/Meta.ts"
import type { PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { Service } from "../objects/Service.ts"
import { compareQuantity, makeQuantity, roundUpQuantity, zeroQuantity } from "../quantity/Quantity.ts"
import { storageClassNameOf } from "../volumes/classes.ts"
import { countName, type Evaluator, noScope, objectCount, one, requirementAccepts } from "./Evaluator.ts"
import { podEvaluator } from "./podEvaluator.ts"
import { resourceClaims } from "./resourceClaims.ts"

const serviceNames = [countName("services"), "services", "services.nodeports", "services.loadbalancers"]

const nodePortsOf = ({ spec }: Service): number => {
  const ports = spec?.ports ?? []
  if (spec?.type === "NodePort") return ports.length
  if (spec?.type !== "LoadBalancer") return 0
  return spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort).length : ports.length
}

const countedType = ({ spec }: Service): string =>
  spec?.type === "NodePort" || spec?.type === "LoadBalancer" ? spec.type : ""

/** Upstream: pkg/quota/v1/evaluator/core/services.go. */
const services: Evaluator<Service> = {
  resource: "services",
  handles: ({ subresource }) => subresource === undefined,
  matching: (names) => names.filter((name) => serviceNames.includes(name)),
  matchesScope: noScope,
  usage: (service) => ({
    [countName("services")]: one,
    services: one,
    "services.nodeports": makeQuantity(nodePortsOf(service)),
    "services.loadbalancers": service.spec?.type === "LoadBalancer" ? one : zeroQuantity
  }),
  freesByUpdate: (before, service) => countedType(before) !== countedType(service)
}

const claims = "persistentvolumeclaims"
const storage = "requests.storage"
const ofClass = ".storageclass.storage.k8s.io/"

/** The classes of attributes that a volume has, gets, or is to get. */
const attributesClasses = ({ spec, status }: PersistentVolumeClaim): ReadonlyArray<string> => [
  ...new Set(
    [
      spec?.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName
    ].filter((name): name is string => name !== undefined && name !== "")
  )
]

/** Returns the storage that the claim asks for, or the larger size that an expansion has allocated, in whole bytes. */
const requestedStorage = ({ spec, status }: PersistentVolumeClaim) => {
  const requested = spec?.resources?.requests?.storage
  if (requested === undefined) return undefined
  const rounded = roundUpQuantity(requested, 0).amount
  const allocated = status?.allocatedResources?.storage
  return allocated !== undefined && compareQuantity(allocated, rounded) > 0
    ? roundUpQuantity(allocated, 0).amount
    : rounded
}

const sameNames = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((name) => right.includes(name))

const haveSizesChanged = (before: PersistentVolumeClaim, claim: PersistentVolumeClaim): boolean =>
  compareQuantity(
    before.status?.allocatedResources?.storage ?? zeroQuantity,
    claim.status?.allocatedResources?.storage ?? zeroQuantity
  ) !== 0 || !sameNames(attributesClasses(before), attributesClasses(claim))

/** Upstream: pkg/quota/v1/evaluator/core/persistent_volume_claims.go. */
const persistentVolumeClaims: Evaluator<PersistentVolumeClaim> = {
  resource: claims,
  handles: ({ object, oldObject, subresource }) => {
    if (subresource === undefined) return true
    return subresource === "status" && oldObject !== undefined && haveSizesChanged(oldObject, object)
  },
  matching: (names) =>
    names.filter(
      (name) =>
        name === countName(claims) ||
        name === claims ||
        name === storage ||
        name.endsWith(`${ofClass}${claims}`) ||
        name.endsWith(`${ofClass}${storage}`)
    ),
  matchesScope: (requirement, claim) => {
    if (requirement.scopeName !== "VolumeAttributesClass") return false
    const classes = attributesClasses(claim)
    return classes.length === 0
      ? requirementAccepts(requirement, undefined)
      : classes.some((name) => requirementAccepts(requirement, name))
  },
  usage: (claim) => {
    const className = storageClassNameOf(claim)
    const size = requestedStorage(claim)
    return {
      [countName(claims)]: one,
      [claims]: one,
      ...(className === "" ? {} : { [`${className}${ofClass}${claims}`]: one }),
      ...(size === undefined ? {} : { [storage]: size }),
      ...(size === undefined || className === "" ? {} : { [`${className}${ofClass}${storage}`]: size })
    }
  },
  freesByUpdate: haveSizesChanged
}

/** Evaluators that measure more than a count. */
const measuring = [podEvaluator, services, persistentVolumeClaims, resourceClaims] as ReadonlyArray<
  Evaluator<never>
> as ReadonlyArray<Evaluator<KubeObject>>

const byResource = new Map<string, Evaluator>(measuring.map((evaluator) => [evaluator.resource, evaluator]))

/** Resources that quotas do not count: events, and those that are not stored. Upstream: pkg/quota/v1/install/registry.go. */
const ignored: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io"
])

/** Returns the evaluator of a resource (`deployments.apps`); undefined if quotas ignore the resource. */
export const evaluatorOf = (resource: string): Evaluator | undefined =>
  ignored.has(resource) ? undefined : (byResource.get(resource) ?? objectCount(resource))
