import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { assert, describe, it } from "vitest"
import { kubeletAdmissionRejections, kubeletPreemptions, makeAdmissionMeter } from "../../src/admission/metrics.ts"

describe("the metrics of admission", () => {
  it("have the kubelet's names, and count rejections and preemptions", () => {
    const context = Context.empty()
    const rejections = kubeletAdmissionRejections.pipe(Metric.withAttributes({ reason: "OutOfExtendedResources" }))
    const preemptions = kubeletPreemptions.pipe(Metric.withAttributes({ preemption_signal: "memory" }))
    const counts = () => [rejections, preemptions].map((each) => Number(each.valueUnsafe(context).count))
    const before = counts()
    const meter = makeAdmissionMeter(context)
    meter.rejected("OutOfexample.com/gpu")
    meter.rejected("OutOfexample.com/fpga")
    meter.preempted("memory")
    assert.deepStrictEqual(
      counts().map((count, index) => count - (before[index] ?? 0)),
      [2, 1]
    )
  })
})
