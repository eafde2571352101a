import {
  type CrossVersionObjectReference,
  formatLabelSelector,
  type LabelSelector,
  milliValue,
  parseDuration,
  parseTime
} from "@rollcall/api"
import * as Effect from "effect/Effect"
import { pathOf, type ReadApi, readObject } from "./apiReader.ts"
import type { MetricAnswer, MetricRequest, PodMetric } from "./metrics.ts"
import { resourceName } from "./resourceName.ts"

/** Upstream: pkg/controller/podautoscaler/metrics/client.go. */

type Quantity = string | number

interface ListOf<A> {
  readonly items?: ReadonlyArray<A> | null
}

interface ListedPodMetrics {
  readonly metadata: { readonly name?: string }
  readonly timestamp?: string | null
  readonly window?: string
  readonly containers?: ReadonlyArray<{ readonly name: string; readonly usage?: Readonly<Record<string, Quantity>> }>
}

/** Of custom.metrics.k8s.io/v1beta1 and v1beta2, which name the window otherwise. */
interface ListedMetricValue {
  readonly describedObject?: { readonly name?: string }
  readonly timestamp?: string | null
  readonly window?: number | null
  readonly windowSeconds?: number | null
  readonly value: Quantity
}

const RESOURCE = "metrics.k8s.io"
const CUSTOM = "custom.metrics.k8s.io"
const EXTERNAL = "external.metrics.k8s.io"

/** The versions that a client of custom metrics knows, the best one first. */
const customVersions = [`${CUSTOM}/v1beta2`, `${CUSTOM}/v1beta1`]

/** Upstream: metricServerDefaultMetricWindow. */
const DEFAULT_WINDOW_MS = 60_000

const timeOf = (timestamp: string | null | undefined): number => (timestamp ? parseTime(timestamp) : 0)

/** The selector of a metric as text; one that is missing selects nothing, which has no text either. */
const selectorOf = (selector: LabelSelector | undefined): string =>
  selector === undefined ? "" : formatLabelSelector(selector)

/** Sums the use of all containers, or takes that of one; undefined if it is not known of all. */
const useOf = ({ containers = [] }: ListedPodMetrics, resource: string, container: string): number | undefined => {
  const counted = container === "" ? containers : containers.filter(({ name }) => name === container).slice(0, 1)
  let sum = 0
  for (const { usage } of counted) {
    const value = usage?.[resource]
    if (value === undefined) return undefined
    sum += milliValue(value)
  }
  return counted.length === 0 ? undefined : sum
}

const askResource = (read: ReadApi, { namespace, selector }: MetricRequest, resource: string, container: string) =>
  Effect.gen(function* (): Effect.fn.Return<MetricAnswer, string> {
    const query = { labelSelector: formatLabelSelector(selector) }
    const path = pathOf(["apis", RESOURCE, "v1beta1", "namespaces", namespace, "pods"], query)
    const list = yield* readObject<ListOf<ListedPodMetrics>>(read, path, { resource: `pods.${RESOURCE}` }).pipe(
      Effect.mapError((error) => `unable to fetch metrics from resource metrics API: ${error}`)
    )
    const items = list.items ?? []
    if (items.length === 0) return yield* Effect.fail("no metrics returned from resource metrics API")
    const pods = new Map<string, PodMetric>()
    for (const item of items) {
      const value = useOf(item, resource, container)
      if (value === undefined) continue
      const windowMs = item.window === undefined ? 0 : parseDuration(item.window)
      pods.set(item.metadata.name ?? "", { value, timestamp: timeOf(item.timestamp), windowMs })
    }
    return { pods }
  })

const inCustom = Effect.mapError((error: string) => `unable to fetch metrics from custom metrics API: ${error}`)

interface Groups {
  readonly groups?: ReadonlyArray<{
    readonly name: string
    readonly preferredVersion?: { readonly groupVersion?: string }
    readonly versions?: ReadonlyArray<{ readonly groupVersion?: string }>
  }>
}

/** Finds the version of custom metrics that the server prefers. Upstream: client/custom_metrics/discovery.go. */
const findCustomVersion = (read: ReadApi): Effect.Effect<string, string> =>
  Effect.flatMap(readObject<Groups>(read, "/apis", { resource: "apis" }), ({ groups = [] }) => {
    const group = groups.find(({ name }) => name === CUSTOM)
    if (group === undefined) return Effect.fail(`no custom metrics API (${CUSTOM}) registered`)
    const offered = [group.preferredVersion, ...(group.versions ?? [])].map((version) => version?.groupVersion ?? "")
    const version = offered.find((name) => customVersions.includes(name))
    return version === undefined
      ? Effect.fail("no known available metric versions found")
      : Effect.succeed(version.slice(CUSTOM.length + 1))
  })

const readValues = (
  read: ReadApi,
  version: string,
  address: ReadonlyArray<string>,
  query: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<ListedMetricValue>, string> => {
  const [, , resource = "", name = ""] = address
  const path = pathOf(["apis", CUSTOM, version, ...address], query)
  return Effect.map(
    readObject<ListOf<ListedMetricValue>>(read, path, { resource: `${resource}.${CUSTOM}`, name }),
    ({ items }) => items ?? []
  )
}

const askPods = (
  read: ReadApi,
  version: Effect.Effect<string, string>,
  { namespace, selector }: MetricRequest,
  name: string,
  labels: string
) =>
  Effect.gen(function* (): Effect.fn.Return<MetricAnswer, string> {
    const query = { labelSelector: formatLabelSelector(selector), metricLabelSelector: labels }
    const address = ["namespaces", namespace, "pods", "*", name]
    const items = yield* Effect.flatMap(version, (one) => readValues(read, one, address, query)).pipe(inCustom)
    if (items.length === 0) return yield* Effect.fail("no metrics returned from custom metrics API")
    const pods = new Map<string, PodMetric>()
    for (const { describedObject, timestamp, value, window, windowSeconds } of items) {
      const seconds = windowSeconds ?? window
      const windowMs = seconds === undefined || seconds === null ? DEFAULT_WINDOW_MS : seconds * 1000
      pods.set(describedObject?.name ?? "", { value: milliValue(value), timestamp: timeOf(timestamp), windowMs })
    }
    return { pods }
  })

const askObject = (
  read: ReadApi,
  version: Effect.Effect<string, string>,
  namespace: string,
  object: CrossVersionObjectReference,
  name: string,
  labels: string
) =>
  Effect.gen(function* (): Effect.fn.Return<MetricAnswer, string> {
    const group = (object.apiVersion ?? "").includes("/") ? (object.apiVersion ?? "").split("/")[0] : ""
    const used = yield* version
    const address =
      object.kind === "Namespace" && group === ""
        ? ["namespaces", namespace, "metrics", name]
        : ["namespaces", namespace, yield* resourceName(read, object), object.name, name]
    const items = yield* readValues(read, used, address, { metricLabelSelector: labels })
    const [only] = items
    if (only === undefined || items.length > 1) {
      const count = `${items.length} results when we asked for exactly one`
      return yield* Effect.fail(`the custom metrics API server returned ${count}`)
    }
    return { values: [milliValue(only.value)] }
  }).pipe(inCustom)

const askExternal = (read: ReadApi, namespace: string, name: string, labels: string) =>
  Effect.gen(function* (): Effect.fn.Return<MetricAnswer, string> {
    const query = { labelSelector: labels }
    const path = pathOf(["apis", EXTERNAL, "v1beta1", "namespaces", namespace, name], query)
    const list = yield* readObject<ListOf<ListedMetricValue>>(read, path, { resource: `${name}.${EXTERNAL}` }).pipe(
      Effect.mapError((error) => `unable to fetch metrics from external metrics API: ${error}`)
    )
    const items = list.items ?? []
    if (items.length === 0) return yield* Effect.fail("no metrics returned from external metrics API")
    return { values: items.map(({ value }) => milliValue(value)) }
  })

/** How long the version of custom metrics is remembered. Upstream invalidates it in each sync period. */
const VERSION_MS = 15_000

/** Makes a function that asks the metrics APIs of a server. */
export const askMetricsApis = (read: ReadApi): ((request: MetricRequest) => Effect.Effect<MetricAnswer>) => {
  let known: { readonly version: string; readonly at: number } | undefined
  const versionAt = (now: number): Effect.Effect<string, string> =>
    Effect.suspend(() => {
      if (known !== undefined && now - known.at < VERSION_MS) return Effect.succeed(known.version)
      return Effect.tap(findCustomVersion(read), (version) =>
        Effect.sync(() => {
          known = { version, at: now }
        })
      )
    })
  const ask = (request: MetricRequest): Effect.Effect<MetricAnswer, string> => {
    const { namespace, now, spec } = request
    const { containerResource, external, object, pods, resource } = spec
    if (spec.type === "Resource" && resource !== undefined) return askResource(read, request, resource.name, "")
    if (spec.type === "ContainerResource" && containerResource !== undefined) {
      return askResource(read, request, containerResource.name, containerResource.container)
    }
    if (spec.type === "Pods" && pods !== undefined) {
      return askPods(read, versionAt(now), request, pods.metric.name, selectorOf(pods.metric.selector))
    }
    if (spec.type === "Object" && object !== undefined) {
      const { describedObject, metric } = object
      const labels = selectorOf(metric.selector)
      return askObject(read, versionAt(now), namespace, describedObject, metric.name, labels)
    }
    if (spec.type === "External" && external !== undefined) {
      return askExternal(read, namespace, external.metric.name, selectorOf(external.metric.selector))
    }
    return Effect.fail(`unknown metric source type ${JSON.stringify(spec.type)}`)
  }
  return (request) => Effect.catch(ask(request), (error) => Effect.succeed({ error }))
}
