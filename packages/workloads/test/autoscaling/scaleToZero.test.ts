import { assert, describe, it } from "@effect/vitest"
import type { AutoscalerStatus, HorizontalPodAutoscaler, MetricSpec } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { History } from "../../src/autoscaling/History.ts"
import { defaultAutoscalerConfig } from "../../src/autoscaling/metrics.ts"
import { reconcileAutoscaler } from "../../src/autoscaling/reconcile.ts"

const START = Date.UTC(2026, 0, 1)
const queue: MetricSpec = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "2" } }
}
const cpu: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } }
}

interface Case {
  readonly minReplicas: number
  readonly replicas: number
  readonly value?: number
  readonly metrics?: ReadonlyArray<MetricSpec>
  readonly status?: AutoscalerStatus
  readonly scalesToZero?: boolean
  readonly behavior?: HorizontalPodAutoscaler["spec"]["behavior"]
}

/** Reconciles an autoscaler once, after what it recommended is forgotten; returns its status and what it set. */
const reconcile = ({
  behavior,
  metrics = [queue],
  minReplicas,
  replicas,
  scalesToZero = true,
  status,
  value = 0
}: Case) => {
  const autoscaler: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { kind: "ReplicaSet", name: "web" },
      minReplicas,
      maxReplicas: 10,
      metrics,
      ...(behavior && { behavior })
    },
    ...(status === undefined ? {} : { status })
  }
  const set: Array<number> = []
  const events: Array<string> = []
  const config = { ...defaultAutoscalerConfig, downscaleStabilizationMs: 0, scalesToZero }
  const history = new History()
  history.begin(replicas, START - 3_600_000)
  const reconciled = Effect.runSync(
    reconcileAutoscaler(autoscaler, history, config, START, {
      getScale: Effect.succeed({ replicas, statusReplicas: replicas, selector: "app=web" }),
      setReplicas: (wanted) => Effect.sync(() => void set.push(wanted)),
      metric: () => Effect.succeed({ values: [value] }),
      pods: () => [],
      ambiguity: () => undefined,
      event: (_, reason, message) => events.push(`${reason}: ${message}`),
      computed: () => undefined,
      now: () => START
    })
  )
  const conditions = Object.fromEntries(
    (reconciled.status.conditions ?? []).map(({ reason, status: state, type }) => [type, `${state} ${reason}`])
  )
  return { ...reconciled, conditions, set, events }
}

describe("HPAScaleToZero", () => {
  const toZero = reconcile({ minReplicas: 0, replicas: 2 })

  it("scales a workload to zero by a metric that needs no pods, and remembers that it did", () => {
    assert.deepStrictEqual(toZero.set, [0])
    assert.deepStrictEqual(toZero.events, ["SuccessfulRescale: New size: 0; reason: All metrics below target"])
    assert.strictEqual(toZero.conditions["ScaledToZero"], "True ScaledToZero")
    assert.strictEqual(toZero.action, "scale_down")
  })

  it("scales it from zero again, as soon as the metric asks for it", () => {
    const still = reconcile({ minReplicas: 0, replicas: 0, status: toZero.status })
    assert.deepStrictEqual(still.set, [])
    assert.strictEqual(still.conditions["ScaledToZero"], "True ScaledToZero")
    assert.strictEqual(still.status.currentMetrics?.[0]?.external?.current.averageValue, "-9223372036854775808m")
    const up = reconcile({ minReplicas: 0, replicas: 0, status: still.status, value: 5000 })
    assert.deepStrictEqual(up.set, [3])
    assert.strictEqual(up.conditions["ScaledToZero"], "False NotScaledToZero")
    assert.strictEqual(up.action, "scale_up")
  })

  it("raises it to a new minimum, even if the metric asks for nothing", () => {
    const raised = { minReplicas: 2, replicas: 0, status: toZero.status }
    const { events, set } = reconcile(raised)
    assert.deepStrictEqual(set, [2])
    assert.deepStrictEqual(events, ["SuccessfulRescale: New size: 2; reason: "])
    const byRules = reconcile({ ...raised, behavior: {} })
    assert.deepStrictEqual(byRules.events, [
      "SuccessfulRescale: New size: 2; reason: Current number of replicas below Spec.MinReplicas"
    ])
  })

  it("leaves alone what a user has scaled to zero", () => {
    const { conditions, set } = reconcile({ minReplicas: 0, replicas: 0, value: 5000 })
    assert.deepStrictEqual(set, [])
    assert.strictEqual(conditions["ScalingActive"], "False ScalingDisabled")
    const onlyPods = { minReplicas: 0, replicas: 0, metrics: [cpu], status: toZero.status }
    assert.strictEqual(reconcile(onlyPods).conditions["ScalingActive"], "False ScalingDisabled")
  })

  it("does nothing of this while the gate is off, and removes its condition", () => {
    const given = { minReplicas: 0, replicas: 0, status: toZero.status, value: 5000, scalesToZero: false }
    const { conditions, set } = reconcile(given)
    assert.deepStrictEqual(set, [])
    assert.notProperty(conditions, "ScaledToZero")
  })
})
