import { assert, describe } from "@effect/vitest"
import { type MetricSpec, type Pod, selectNothing } from "@rollcall/api"
import { frozen } from "@rollcall/cluster/testing"
import type { Timers } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MetricsSource } from "../autoscaling/MetricsSource.ts"

const target = { type: "AverageValue", averageValue: "1" }
const metric = { name: "requests" }
const describedObject = { kind: "Service", name: "web" }

/** One metric of each type. */
const specs: ReadonlyArray<MetricSpec> = [
  { type: "Resource", resource: { name: "cpu", target } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target } },
  { type: "Pods", pods: { metric, target } },
  { type: "Object", object: { describedObject, metric, target } },
  { type: "External", external: { metric, target } }
]

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "i" }] }
}

/**
 * Registers the tests that every layer of the MetricsSource port must pass, in a vitest file. They run in virtual time.
 */
export const metricsSourceContract = <E>(name: string, layer: Layer.Layer<MetricsSource, E, Timers>): void => {
  describe(`${name}: a source of metrics`, () => {
    for (const spec of specs) {
      itInVirtualTime(
        `answers for ${spec.type} with values or with why there are none, and only of the pods it is asked for`,
        Effect.gen(function* () {
          const { ask } = yield* MetricsSource
          const request = frozen({ spec, namespace: "default", selector: selectNothing, pods: [pod], now: 0 })
          const answer = yield* ask(request)
          if ("error" in answer) assert.isNotEmpty(answer.error)
          else if ("values" in answer) for (const value of answer.values) assert.isTrue(Number.isInteger(value))
          else {
            for (const [known, { value, windowMs }] of answer.pods) {
              assert.strictEqual(known, "web-1")
              assert.isTrue(Number.isInteger(value), "values are in thousandths")
              assert.isAtLeast(windowMs, 0)
            }
          }
          assert.deepStrictEqual(yield* ask(request), answer, "the same answer at the same time")
        }).pipe(Effect.provide(Layer.fresh(layer)))
      )
    }
  })
}
