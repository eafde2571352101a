import { assert, describe, it } from "@effect/vitest"
import {
  counter,
  Distribution,
  exponentialBuckets,
  expositionOf,
  gauge,
  histogram,
  MetricSet
} from "../../src/index.ts"

const requests = counter("requests_total", "STABLE", "Requests.", ["verb", "code"])
const limit = gauge("limit", undefined, "The limit.")
const seconds = histogram("seconds", [0.5, 1e6], "ALPHA", "How long.", ["verb"])

const makeSet = () => {
  const set = new MetricSet()
  const counted = set.values(requests)
  counted.with({ verb: "PUT", code: "200" }).add(2_500_000)
  counted.with({ verb: "GET", code: "404" }).add()
  set.value(limit).set(1e-5)
  const measured = set.distributions(seconds).with({ verb: 'é"' })
  measured.observe(0.5)
  measured.observe(0.75)
  measured.observe(2e6)
  return set
}

const PROTOBUF = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
const TEXT = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

describe("the page of a set of metrics", () => {
  it("has families and series in order, and numbers as Go prints them", () => {
    assert.strictEqual(
      expositionOf(makeSet().snapshot()).body,
      String.raw`# HELP limit The limit.
# TYPE limit gauge
limit 1e-05
# HELP requests_total [STABLE] Requests.
# TYPE requests_total counter
requests_total{code="200",verb="PUT"} 2.5e+06
requests_total{code="404",verb="GET"} 1
# HELP seconds [ALPHA] How long.
# TYPE seconds histogram
seconds_bucket{verb="é\"",le="0.5"} 1
seconds_bucket{verb="é\"",le="1e+06"} 2
seconds_bucket{verb="é\"",le="+Inf"} 3
seconds_sum{verb="é\""} 2.00000125e+06
seconds_count{verb="é\""} 3
`
    )
  })

  it("is text unless protobuf is preferred, and never OpenMetrics", () => {
    const typeOf = (accept: string) => expositionOf([], accept).type
    assert.strictEqual(typeOf(""), TEXT)
    assert.strictEqual(typeOf("application/openmetrics-text;version=1.0.0"), TEXT)
    assert.strictEqual(typeOf(`${PROTOBUF};q=0.4,text/plain;q=0.5`), TEXT)
    assert.strictEqual(
      typeOf("text/plain;version=1.0.0;escaping=allow-utf-8"),
      TEXT.replace("underscores", "allow-utf-8")
    )
    assert.strictEqual(
      typeOf(`application/openmetrics-text;q=0.5,${PROTOBUF};q=0.6,text/plain;q=0.4`),
      "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited; escaping=underscores"
    )
  })

  it("is delimited messages in protobuf", () => {
    const set = new MetricSet()
    set.distributions(seconds).with({ verb: "é" }).observe(0.75)
    const { body } = expositionOf(set.snapshot(), PROTOBUF)
    const double = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)]
    const text = (field: number, value: string) => {
      const bytes = [...new TextEncoder().encode(value)]
      return [field * 8 + 2, bytes.length, ...bytes]
    }
    const message = (field: number, ...content: ReadonlyArray<number>) => [field * 8 + 2, content.length, ...content]
    const buckets = [...message(3, 8, 0, 17, ...double(0.5)), ...message(3, 8, 1, 17, ...double(1e6))]
    const label = message(1, ...text(1, "verb"), ...text(2, "é"))
    const metric = [...label, ...message(7, 8, 1, 17, ...double(0.75), ...buckets)]
    const family = [...text(1, "seconds"), ...text(2, "[ALPHA] How long."), 24, 4, ...message(4, ...metric)]
    assert.deepStrictEqual([...(body as Uint8Array)], [family.length, ...family])
  })

  it("bounds the series of a family, and counts those that it drops", () => {
    const set = new MetricSet()
    const counted = set.values(requests, 2)
    for (let code = 0; code < 5; code++) counted.with({ verb: "GET", code: String(code) }).add()
    assert.deepStrictEqual(set.dropped(), [["requests_total", 3]])
    assert.strictEqual(set.snapshot()[0]?.samples.length, 2)
    assert.strictEqual(set.values(requests), counted)
  })

  it("reads samples when the page is", () => {
    const set = new MetricSet()
    let value = 1
    set.read(requests, () => (value === 0 ? [] : [[{ verb: "GET", code: "200" }, value]]))
    value = 3
    assert.deepStrictEqual(set.snapshot()[0]?.samples, [
      {
        labels: [
          ["code", "200"],
          ["verb", "GET"]
        ],
        value: 3
      }
    ])
    value = 0
    assert.deepStrictEqual(set.snapshot(), [])
  })
})

describe("a distribution", () => {
  it("weighs measurements", () => {
    const weighted = new Distribution(exponentialBuckets(1, 2, 3))
    weighted.observeWeighted(1.5, 10)
    weighted.observeWeighted(9, 0.5)
    assert.deepStrictEqual(weighted.buckets(), [
      [1, 0],
      [2, 10],
      [4, 10]
    ])
    assert.deepStrictEqual([weighted.count, weighted.sum], [10.5, 19.5])
  })
})
