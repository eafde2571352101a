import {
  badRequest,
  formatLabelSelector,
  invalid,
  type KubeObject,
  type LabelSelector,
  type Status
} from "@rollcall/api"
import * as Result from "effect/Result"
import { isFields, type ScalePaths, specOf, statusOf, valueAt, withValueAt } from "../objects/values.ts"

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
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp }
  const shown = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined))
  }
  if (paths !== undefined) return { ...shown, ...customScale(object, paths) }
  return {
    ...shown,
    spec: { replicas: spec.replicas ?? 1 },
    status: { replicas: status.replicas ?? 0, selector: formatLabelSelector(spec.selector) }
  }
}

/** Upstream: apiextensions-apiserver/pkg/registry/customresource/etcd.go, scaleFromCustomResource. */
const customScale = (object: KubeObject, paths: ScalePaths): Pick<Scale, "spec" | "status"> => {
  const desired = valueAt(object, paths.specReplicas)
  const actual = valueAt(object, paths.statusReplicas)
  const selector = paths.labelSelector && valueAt(object, paths.labelSelector)
  return {
    spec: typeof desired === "number" ? { replicas: desired } : {},
    status: {
      replicas: typeof actual === "number" ? actual : 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {})
    }
  }
}

const invalidScale = (name: string, replicas: number): Status =>
  invalid({ group: "autoscaling", kind: "Scale" }, name, [
    {
      type: "FieldValueInvalid",
      field: "spec.replicas",
      badValue: replicas,
      detail: "must be greater than or equal to 0"
    }
  ])

/** Returns the object with the replicas of a Scale, and with the Scale's resourceVersion, if any, as precondition. */
export const withScale = (
  object: KubeObject,
  scale: unknown,
  paths?: ScalePaths
): Result.Result<KubeObject, Status> => {
  if (!isFields(scale)) return Result.fail(badRequest("the object provided is unrecognized (must be of type Scale)"))
  const spec = isFields(scale.spec) ? scale.spec : {}
  const metadata = isFields(scale.metadata) ? scale.metadata : {}
  const replicas = spec.replicas ?? 0
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    return Result.fail(
      badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas is not an integer')
    )
  }
  if (replicas < 0) return Result.fail(invalidScale(object.metadata.name ?? "", replicas))
  const resourceVersion = metadata.resourceVersion
  const { resourceVersion: _, ...rest } = object.metadata
  const conditional =
    typeof resourceVersion === "string" && resourceVersion !== "" ? { ...rest, resourceVersion } : rest
  if (paths !== undefined) {
    return Result.succeed(withValueAt({ ...object, metadata: conditional }, paths.specReplicas, replicas))
  }
  return Result.succeed({
    ...object,
    metadata: conditional,
    spec: { ...(specOf(object) as object), replicas }
  } as KubeObject)
}
