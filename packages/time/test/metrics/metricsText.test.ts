import { assert, describe, it } from "@effect/vitest"
import * as Metric from "effect/Metric"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { metricsContext, metricsText } from "../../src/index.ts"

const requests = Metric.counter("requests_total", { description: "Requests,\nby \\ code.", incremental: true })
const depth = Metric.gauge("depth")
const seconds = Metric.histogram("seconds", { description: "How long.", boundaries: [0.5, 1, 10] })

const makeMetrics = () => {
  const context = metricsContext()
  requests.pipe(Metric.withAttributes({ code: "200", path: '/a"b\\c\nd' })).updateUnsafe(2, context)
  depth.updateUnsafe(Number.POSITIVE_INFINITY, context)
  seconds.pipe(Metric.withAttributes({ verb: "GET" })).updateUnsafe(0.7, context)
  seconds.pipe(Metric.withAttributes({ verb: "GET" })).updateUnsafe(70, context)
  requests.pipe(Metric.withAttributes({ code: "404", path: "" })).updateUnsafe(1, context)
  return context
}

describe("the page of metrics", () => {
  it("is in Prometheus' text format, a family at a time", () => {
    assert.strictEqual(
      metricsText(makeMetrics()),
      String.raw`# HELP requests_total Requests,\nby \\ code.
# TYPE requests_total counter
requests_total{code="200",path="/a\"b\\c\nd"} 2
requests_total{code="404",path=""} 1
# TYPE depth gauge
depth +Inf
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.5"} 0
seconds_bucket{verb="GET",le="1"} 1
seconds_bucket{verb="GET",le="10"} 1
seconds_bucket{verb="GET",le="+Inf"} 2
seconds_sum{verb="GET"} 70.7
seconds_count{verb="GET"} 2
`
    )
  })

  it("equals the output of Effect's own printer", () => {
    const context = makeMetrics()
    depth.updateUnsafe(Number.NEGATIVE_INFINITY, context)
    Metric.histogram("rounds", { boundaries: Metric.linearBoundaries({ start: 0, width: 2, count: 4 }) }).updateUnsafe(
      3,
      context
    )
    assert.strictEqual(metricsText(context), formatUnsafe(context))
  })

  it("has the metrics of each of its registries, and no others", () => {
    const [one, other] = [metricsContext(), metricsContext()]
    requests.pipe(Metric.withAttributes({ code: "200" })).updateUnsafe(1, one)
    requests.pipe(Metric.withAttributes({ code: "500" })).updateUnsafe(3, other)
    depth.updateUnsafe(7, metricsContext())
    assert.deepStrictEqual(metricsText(one, other).split("\n").slice(1), [
      "# TYPE requests_total counter",
      'requests_total{code="200"} 1',
      'requests_total{code="500"} 3',
      ""
    ])
    assert.strictEqual(metricsText(metricsContext()), "")
  })
})
