import { assert, describe, it } from "@effect/vitest"
import { MetricSet } from "@rollcall/time"
import { RequestMetrics } from "../../src/http/metrics/RequestMetrics.ts"
import { requestFamilies } from "../../src/http/metrics/requestFamilies.ts"
import { Query } from "../../src/http/request/Query.ts"
import { requestInfoOf } from "../../src/http/request/RequestInfo.ts"

const NODES = "/api/v1/nodes"
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/a/leases"

/** Requests, of which each two differ in how they are counted, or in names only. */
const requests: ReadonlyArray<readonly [method: string, path: string, query: string, contentType: string]> = [
  ["PUT", `${LEASES}/x`, "", "application/json"],
  ["PUT", `${LEASES}/y`, "", "application/json"],
  ["PUT", `${LEASES}/y`, "dryRun=All", "application/json"],
  ["PUT", `${NODES}/x`, "", "application/json"],
  ["PUT", `${NODES}/x/status`, "", "application/json"],
  ["PUT", "/api/v1/persistentvolumes/x", "", "application/json"],
  ["PUT", "/apis/example.com/v1/namespaces/a/leases/x", "", "application/json"],
  ["PUT", "/api/v1/proxy/nodes/x", "", "application/json"],
  ["POST", "/api/v1/proxy/nodes/x", "", "application/json"],
  ["GET", "/api/v1/watch/nodes", "", ""],
  ["GET", "/api/v1/watch/nodes/x", "", ""],
  ["POST", NODES, "", "application/json"],
  ["POST", LEASES, "", "application/json"],
  ["GET", NODES, "", ""],
  ["GET", `${NODES}/x`, "", ""],
  ["GET", LEASES, "", ""],
  ["GET", "/apis/coordination.k8s.io/v1/leases", "", ""],
  ["GET", "/apis/coordination.k8s.io/v1beta1/leases", "", ""],
  ["HEAD", LEASES, "", ""],
  ["PATCH", `${NODES}/x`, "", "application/merge-patch+json"],
  ["PATCH", `${NODES}/x`, "", "application/apply-patch+yaml"]
]

const callOf = ([method, path, query, contentType]: (typeof requests)[number]) => ({
  info: requestInfoOf(method, path, false),
  request: { method, headers: { "content-type": contentType } },
  query: new Query(query),
  body: { length: 0 },
  isKnown: true,
  isServed: true,
  isDeprecated: false,
  monitored: undefined,
  waitedMs: 0,
  sentBytes: 0
})

/** The counted requests by label set. */
const counted = (calls: ReadonlyArray<(typeof requests)[number]>): ReadonlyMap<string, number> => {
  const set = new MetricSet()
  const metrics = new RequestMetrics(set, () => 0)
  for (const call of calls) metrics.request(callOf(call), 200, 1)
  const counts = new Map<string, number>()
  for (const [labels, { value }] of set.values(requestFamilies.total).entries())
    counts.set(JSON.stringify(labels), value)
  return counts
}

describe("the series of a request", () => {
  it("does not depend on the request before it", () => {
    for (const first of requests) {
      for (const second of requests) {
        const apart = new Map<string, number>()
        for (const each of [first, second])
          for (const [labels, count] of counted([each])) apart.set(labels, (apart.get(labels) ?? 0) + count)
        assert.deepStrictEqual(counted([first, second]), apart, `${first} and ${second}`)
      }
    }
  })
})
