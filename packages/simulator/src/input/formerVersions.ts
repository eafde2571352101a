import { apiVersionOf, type KindName } from "@rollcall/api"
import * as Predicate from "effect/Predicate"

type Fields = Readonly<Record<string, unknown>>
type Convert = (object: Fields) => Fields | undefined

/** The version differs in its name alone. */
const unchanged: Convert = (object) => object

const fieldsOf = (value: unknown): Fields => (Predicate.isReadonlyObject(value) ? value : {})

/** What an empty selector of policy/v1beta1 becomes, which selects no pod; one of policy/v1 selects all. Upstream: NonV1beta1MatchNoneSelector. */
const matchesNone = {
  matchExpressions: [{ key: "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", operator: "Exists" }]
}

const isEmptySelector = (selector: unknown): boolean =>
  Predicate.isReadonlyObject(selector) &&
  Object.keys(fieldsOf(selector.matchLabels)).length === 0 &&
  !(Array.isArray(selector.matchExpressions) && selector.matchExpressions.length > 0)

const budgetOfV1beta1: Convert = (object) => {
  const spec = fieldsOf(object.spec)
  return isEmptySelector(spec.selector) ? { ...object, spec: { ...spec, selector: matchesNone } } : object
}

const ZONE = "topology.kubernetes.io/zone"

/** An endpoint of v1beta1 has its zone among the labels of its `topology`, which v1 keeps as `deprecatedTopology`. */
const endpointOfV1beta1 = (endpoint: unknown): unknown => {
  if (!Predicate.isReadonlyObject(endpoint) || !Predicate.isReadonlyObject(endpoint.topology)) return endpoint
  const { topology, ...rest } = endpoint
  const { [ZONE]: zone, ...others } = fieldsOf(topology)
  return {
    ...rest,
    ...(zone === undefined ? {} : { zone }),
    ...(Object.keys(others).length === 0 ? {} : { deprecatedTopology: others })
  }
}

const sliceOfV1beta1: Convert = (object) => ({
  ...object,
  endpoints: Array.isArray(object.endpoints) ? object.endpoints.map(endpointOfV1beta1) : object.endpoints
})

/** Metrics other than the processor's are in annotations of v1 objects, which only an API server converts. */
const METRICS_OF_V1 = "autoscaling.alpha.kubernetes.io/metrics"

const autoscalerOfV1: Convert = (object) => {
  if (METRICS_OF_V1 in fieldsOf(fieldsOf(object.metadata).annotations)) return undefined
  const { targetCPUUtilizationPercentage: averageUtilization, ...spec } = fieldsOf(object.spec)
  const { currentCPUUtilizationPercentage: _, ...status } = fieldsOf(object.status)
  const target = { type: "Utilization", averageUtilization }
  const metrics = [{ type: "Resource", resource: { name: "cpu", target } }]
  return { ...object, spec: averageUtilization == null ? spec : { ...spec, metrics }, status }
}

/** Versions that the API servers of Kubernetes 1.20 to 1.35 show, and 1.36 does not or no longer prefers. */
const formerVersions: ReadonlyMap<string, ReadonlyMap<string, Convert>> = new Map(
  Object.entries({
    PodDisruptionBudget: { "policy/v1beta1": budgetOfV1beta1 },
    CronJob: { "batch/v1beta1": unchanged },
    EndpointSlice: { "discovery.k8s.io/v1beta1": sliceOfV1beta1 },
    HorizontalPodAutoscaler: { "autoscaling/v1": autoscalerOfV1, "autoscaling/v2beta2": unchanged },
    PriorityClass: { "scheduling.k8s.io/v1beta1": unchanged },
    Lease: { "coordination.k8s.io/v1beta1": unchanged },
    StorageClass: { "storage.k8s.io/v1beta1": unchanged },
    VolumeAttachment: { "storage.k8s.io/v1beta1": unchanged },
    CSINode: { "storage.k8s.io/v1beta1": unchanged },
    CSIDriver: { "storage.k8s.io/v1beta1": unchanged },
    CSIStorageCapacity: { "storage.k8s.io/v1beta1": unchanged }
  } satisfies Partial<Record<KindName, Readonly<Record<string, Convert>>>>).map(([kind, versions]) => [
    kind,
    new Map(Object.entries(versions))
  ])
)

/** Converts an object of a former version to the version that Rollcall reads; returns any other object unchanged. */
export const ofCurrentVersion = (kind: KindName, object: Fields): Fields => {
  const convert = formerVersions.get(kind)?.get(String(object.apiVersion))
  const converted = convert?.(object)
  return converted === undefined ? object : { ...converted, apiVersion: apiVersionOf(kind) }
}
