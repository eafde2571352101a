import { assert, describe, it } from "@effect/vitest"
import { type KubeObject, kinds } from "@rollcall/api"
import { decodeJson, wireTypeOfGvk } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { autoscalersView } from "../../src/core/registry/autoscalersView.ts"
import { fromV1, toV1, withoutRoundTrip, withSpecOf, withStatusOf } from "../../src/core/registry/autoscalerV1.ts"

const prefix = "autoscaling.alpha.kubernetes.io/"
const selector = { matchLabels: { verb: "GET" } }
const metric = { name: "hits" }

const specs = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
  {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 5 } }
  },
  { type: "Pods", pods: { metric: { ...metric, selector }, target: { type: "AverageValue", averageValue: "1k" } } },
  {
    type: "Object",
    object: {
      describedObject: { kind: "Ingress", name: "main", apiVersion: "networking.k8s.io/v1" },
      metric,
      target: { type: "Value", value: "10k" }
    }
  },
  {
    type: "Object",
    object: {
      describedObject: { kind: "Ingress", name: "main" },
      metric,
      target: { type: "AverageValue", averageValue: "2" }
    }
  },
  { type: "External", external: { metric, target: { type: "Value", value: "30" } } },
  {
    type: "External",
    external: { metric: { ...metric, selector }, target: { type: "AverageValue", averageValue: "3" } }
  }
]

const statuses = [
  { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "5m" } } },
  { type: "Pods", pods: { metric, current: { averageValue: "900" } } },
  { type: "External", external: { metric, current: { value: "30", averageValue: "3" } } },
  {
    type: "Object",
    object: { metric, current: { value: "9k" }, describedObject: { kind: "Ingress", name: "main" } }
  }
]

const whole = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default", annotations: { mine: "kept" } },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" },
    minReplicas: 1,
    maxReplicas: 9,
    // cpu moves to the end: v1 has it in a field of its own.
    metrics: [...specs.slice(1), ...specs.slice(0, 1)],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 3,
        selectPolicy: "Max",
        policies: [{ type: "Pods", value: 4, periodSeconds: 15 }]
      }
    }
  },
  status: {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: statuses,
    conditions: [
      { type: "ScalingActive", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "a", message: "b" }
    ]
  }
} as unknown as KubeObject

describe("HorizontalPodAutoscalers of autoscaling/v1", () => {
  it("lose lists that are given as empty, as Go writes them", () => {
    const given = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h", ownerReferences: [], finalizers: [] },
      spec: { maxReplicas: 1, scaleTargetRef: { kind: "Deployment", name: "d" } }
    }
    const type = wireTypeOfGvk({ group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" })
    if (type === undefined) return assert.fail("no type")
    const decoded = Result.getOrThrow(decodeJson(type, JSON.stringify(given))).value as KubeObject
    assert.deepStrictEqual(fromV1(decoded).metadata, { name: "h" })
  })

  it("keep in annotations what v1 has no fields for, in the order of Go's fields", () => {
    const { metadata, spec } = toV1(whole) as KubeObject & { readonly spec: Readonly<Record<string, unknown>> }
    assert.strictEqual(spec.targetCPUUtilizationPercentage, 60)
    const { annotations = {} } = metadata
    assert.strictEqual(annotations.mine, "kept")
    const [memory, container, pods, object] = JSON.parse(annotations[`${prefix}metrics`] ?? "")
    assert.strictEqual(
      JSON.stringify([memory, container, pods, object]),
      '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},' +
        '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":5,"container":"app"}},' +
        '{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"1k","selector":{"matchLabels":{"verb":"GET"}}}},' +
        '{"type":"Object","object":{"target":{"kind":"Ingress","name":"main","apiVersion":"networking.k8s.io/v1"},"metricName":"hits","targetValue":"10k"}}]'
    )
    assert.strictEqual(
      annotations[`${prefix}current-metrics`],
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":50,"currentAverageValue":"5m"}},' +
        '{"type":"Pods","pods":{"metricName":"hits","currentAverageValue":"900"}},' +
        '{"type":"External","external":{"metricName":"hits","currentValue":"30","currentAverageValue":"3"}},' +
        '{"type":"Object","object":{"target":{"kind":"Ingress","name":"main"},"metricName":"hits","currentValue":"9k"}}]'
    )
  })

  it("are the same object of v2 again", () => {
    assert.deepStrictEqual(fromV1(toV1(whole)), whole)
  })

  const namesOf = ({ metadata }: KubeObject) =>
    Object.keys(metadata.annotations ?? {}).map((name) => name.split("/").at(-1))

  it("keep the annotations of the part that an update may not change", () => {
    const shown = toV1(whole)
    assert.deepStrictEqual(namesOf(shown), ["mine", "metrics", "current-metrics", "behavior", "conditions"])
    const bare = withoutRoundTrip(shown)
    assert.deepStrictEqual(namesOf(bare), ["mine"])
    assert.deepStrictEqual(namesOf(withStatusOf(bare, shown)), ["mine", "current-metrics", "conditions"])
    assert.deepStrictEqual(namesOf(withSpecOf(bare, shown)), ["mine", "metrics", "behavior"])
    assert.deepStrictEqual(namesOf(withStatusOf(shown)), ["mine", "metrics", "behavior"])
  })

  const odd = ["", "{", "null", "5", "{}", "[5]", "[null]", '[{"type":5}]', '[{"type":{}},{"type":"Pods"}]']
  it.each(odd)("ignore an annotation that is %s", (text) => {
    const names = ["metrics", "current-metrics", "conditions", "behavior"]
    const annotations = Object.fromEntries(names.map((name) => [`${prefix}${name}`, text]))
    const { scaleTargetRef } = (whole as never as { readonly spec: { readonly scaleTargetRef: object } }).spec
    const shown = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", annotations },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 }
    } as unknown as KubeObject
    const { metadata, spec, status } = fromV1(shown) as never as Readonly<Record<string, Record<string, unknown>>>
    assert.deepStrictEqual(metadata, { name: "web" })
    assert.deepStrictEqual(spec?.metrics, [
      { ...specs[0], resource: { ...specs[0]?.resource, target: { type: "Utilization", averageUtilization: 70 } } }
    ])
    assert.isUndefined(spec?.behavior)
    assert.isNull(status?.currentMetrics)
    assert.isUndefined(status?.conditions)
  })
})

describe("the table of autoscaling/v1", () => {
  it("shows what an apply of the status sets, which was not converted before", () => {
    const { strategy } = autoscalersView(kinds.HorizontalPodAutoscaler.validation)
    const spec = { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 1, maxReplicas: 3 }
    const stored = { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", metadata: { name: "web" }, spec }
    const status = { currentReplicas: 0, desiredReplicas: 0, currentCPUUtilizationPercentage: 5 }
    const applied = strategy.prepareForStatusUpdate?.({ ...stored, status } as KubeObject, stored as KubeObject, 0)
    assert.deepStrictEqual(applied?.metadata.annotations, {
      [`${prefix}current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"0"}}]'
    })
  })

  it("shows default metrics of an object, and none of the empty one of a bookmark", () => {
    const { printer } = autoscalersView(kinds.HorizontalPodAutoscaler.validation)
    const spec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 }
    const shown = { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", spec }
    const cells = (metadata: object) => printer.row({ ...shown, metadata }, 0).cells.slice(0, 3)
    assert.deepStrictEqual(cells({ name: "a" }), ["a", "/", "cpu: <unknown>/80%"])
    assert.deepStrictEqual(cells({}), ["", "/", "<none>"])
  })
})
