import { assert, describe, it } from "@effect/vitest"
import { ConnectionError } from "@rollcall/cluster"
import { expositionOf, MetricSet } from "@rollcall/time"
import * as Result from "effect/Result"
import { measuredTransport } from "../src/http/measured.ts"
import type { Transport } from "../src/http/Transport.ts"

/** A transport that answers at once: watches of /broken, and other requests for it, fail. */
const immediate: Transport = {
  request: ({ path }, reply) => {
    if (path === "/broken") reply(Result.fail(new ConnectionError({ message: "cut" })))
    else reply(Result.succeed({ code: 201, headers: {}, body: "x".repeat(100) }))
    return () => {}
  },
  stream: ({ path }, sink) => {
    if (path !== "/broken") sink.head(200, {})
    sink.end(undefined)
    return () => {}
  },
  close: () => {}
}

describe("a measured transport", () => {
  it("counts requests by code, and measures durations and sizes", () => {
    const set = new MetricSet()
    let nowMs = 0
    const transport = measuredTransport(immediate, set, "h:1", () => (nowMs += 50))
    const sink = { head: () => true, refused: () => {}, data: () => {}, end: () => {} }
    transport.request({ method: "POST", path: "/", body: "y".repeat(300) }, () => {})
    transport.request({ method: "GET", path: "/broken" }, () => {})
    transport.stream({ method: "GET", path: "/" }, sink)
    transport.stream({ method: "GET", path: "/broken" }, sink)
    const page = String(expositionOf(set.snapshot()).body)
    const lines = page.split("\n")
    const line = (start: string) =>
      lines
        .find((each) => each.startsWith(start))
        ?.split(" ")
        .at(-1)
    assert.strictEqual(line('rest_client_requests_total{code="201",host="h:1",method="POST"}'), "1")
    assert.strictEqual(line('rest_client_requests_total{code="200",host="h:1",method="GET"}'), "1")
    assert.strictEqual(line('rest_client_requests_total{code="<error>",host="h:1",method="GET"}'), "2")
    assert.strictEqual(line('rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="0.025"}'), "0")
    assert.strictEqual(line('rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="0.1"}'), "1")
    assert.strictEqual(line('rest_client_request_size_bytes_bucket{host="h:1",verb="POST",le="512"}'), "1")
    assert.strictEqual(line('rest_client_response_size_bytes_sum{host="h:1",verb="POST"}'), "100")
    assert.include(page, 'le="1.6777216e+07"')
  })
})
