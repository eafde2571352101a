import * as Result from "effect/Result"
import type { KubeObject, LabelSelector, ObjectMeta } from "./objects/Meta.ts"
import type { Status } from "./objects/Status.ts"
import type { Resource } from "./Resource.ts"
import { formatLabelSelector } from "./selector/Selector.ts"
import { badRequest, conflict, internalError, invalid } from "./status/Status.ts"
import { ErrorList } from "./validation/ErrorList.ts"
import { validateObjectMeta } from "./validation/metadata.ts"
import { nameIsDNSSubdomain } from "./validation/names.ts"
import { isFields, type ScalePaths, specOf, statusOf, valueAt } from "./values.ts"

/** autoscaling/v1 Scale: the desired and actual replicas of any kind that has them. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

/** The fields of a spec or status that a Scale shows. */
interface ScaledFields {
  readonly replicas?: number
  readonly selector?: LabelSelector
}

/**
 * Returns the scale of an object. `paths` say where a custom resource has its replicas. Upstream:
 * pkg/registry/apps/deployment/storage/storage.go, scaleFromDeployment.
 */
export const scaleOf = (object: KubeObject, paths?: ScalePaths): Scale => {
  const { creationTimestamp, name, namespace, resourceVersion, uid } = object.metadata
  const spec = (specOf(object) ?? {}) as ScaledFields
  const status = (statusOf(object) ?? {}) as ScaledFields
  // A ReplicationController selects by labels alone.
  const selector =
    object.kind === "ReplicationController"
      ? { matchLabels: spec.selector as LabelSelector["matchLabels"] & {} }
      : spec.selector
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp }
  const shown = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined))
  }
  if (paths !== undefined) return { ...shown, ...customScale(object, paths) }
  return {
    ...shown,
    // Go omits zero.
    spec: spec.replicas === 0 ? {} : { replicas: spec.replicas ?? 1 },
    status: { replicas: status.replicas ?? 0, selector: formatLabelSelector(selector) }
  }
}

/** Upstream: apiextensions-apiserver/pkg/registry/customresource/etcd.go, scaleFromCustomResource. */
const customScale = (object: KubeObject, paths: ScalePaths): Pick<Scale, "spec" | "status"> => {
  const desired = valueAt(object, paths.specReplicas)
  const actual = valueAt(object, paths.statusReplicas)
  const selector = paths.labelSelector && valueAt(object, paths.labelSelector)
  return {
    spec: typeof desired === "number" && desired !== 0 ? { replicas: desired } : {},
    status: {
      replicas: typeof actual === "number" ? actual : 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {})
    }
  }
}

/**
 * Returns why a custom resource has no scale now: nobody has set its replicas. Upstream:
 * apiextensions-apiserver/pkg/registry/customresource/etcd.go, ScaleREST.
 */
export const scaleRefusal = (object: KubeObject, paths: ScalePaths | undefined): Status | undefined =>
  paths === undefined || valueAt(object, paths.specReplicas) !== undefined
    ? undefined
    : internalError(`the spec replicas field ${quotedPath(paths)} does not exist`)

/** The replicas of the Scale that a write of a custom resource changes, if nobody has set them. */
export const UNSET_REPLICAS = -(2 ** 31)

const quotedPath = ({ specReplicas }: ScalePaths): string => JSON.stringify(`.${specReplicas.join(".")}`)

/** Returns why a Scale is invalid, or is for an earlier object of this name. Upstream: ValidateScale. */
const scaleFault = (resource: Resource, object: KubeObject, metadata: ObjectMeta, replicas: number) => {
  const { name = "", uid } = object.metadata
  const errors = new ErrorList()
  validateObjectMeta(errors, metadata, { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true })
  errors.nonNegative("spec.replicas", replicas)
  if (errors.size > 0) return invalid({ group: "autoscaling", kind: "Scale" }, name, errors.all)
  if (!metadata.uid || metadata.uid === uid) return undefined
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`
  return conflict({ group: resource.group, resource: `${resource.plural}/scale` }, name, why)
}

/** Returns the object with another value at that path. */
const withValueAt = (object: KubeObject, steps: ReadonlyArray<string>, value: unknown): KubeObject => ({
  ...object,
  ...withFieldAt(object, steps, value)
})

const withFieldAt = (
  inside: unknown,
  [step = "", ...rest]: ReadonlyArray<string>,
  value: unknown
): Readonly<Record<string, unknown>> => {
  const fields = isFields(inside) ? inside : {}
  return { ...fields, [step]: rest.length === 0 ? value : withFieldAt(fields[step], rest, value) }
}

/**
 * Returns the object with the replicas of a Scale, and with the Scale's resourceVersion, if any, as precondition. The
 * replicas of a custom resource are validated with the resource, and the metadata of its Scale not at all.
 */
export const withScale = (
  { resource, scale: paths }: { readonly resource: Resource; readonly scale?: ScalePaths | undefined },
  object: KubeObject,
  scale: unknown
): Result.Result<KubeObject, Status> => {
  if (!isFields(scale)) return Result.fail(badRequest("the object provided is unrecognized (must be of type Scale)"))
  const spec = isFields(scale.spec) ? scale.spec : {}
  const { namespace } = object.metadata
  const given = isFields(scale.metadata) ? scale.metadata : {}
  // Writes to subresources cannot change the owners.
  const { managedFields: _managedFields, ...sent } = given as ObjectMeta
  const metadata: ObjectMeta = sent.namespace || namespace === undefined ? sent : { ...sent, namespace }
  const replicas = spec.replicas ?? 0
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    return Result.fail(
      badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas is not an integer')
    )
  }
  if (paths !== undefined && replicas === UNSET_REPLICAS) {
    return Result.fail(badRequest(`the spec replicas field ${quotedPath(paths)} cannot be empty`))
  }
  const fault = paths === undefined ? scaleFault(resource, object, metadata, replicas) : undefined
  if (fault !== undefined) return Result.fail(fault)
  const resourceVersion = metadata.resourceVersion
  const { resourceVersion: _, ...rest } = object.metadata
  const conditional =
    typeof resourceVersion === "string" && resourceVersion !== "" ? { ...rest, resourceVersion } : object.metadata
  if (paths !== undefined) {
    return Result.succeed(withValueAt({ ...object, metadata: conditional }, paths.specReplicas, replicas))
  }
  return Result.succeed({
    ...object,
    metadata: conditional,
    spec: { ...(specOf(object) as object), replicas }
  } as KubeObject)
}
