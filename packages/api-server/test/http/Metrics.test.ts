import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { flowFamilies, flowGauges, levelGauges } from "@rollcall/flow-control"
import { HealthSlis, layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { podSecurityFamilies } from "../../src/admission/podSecurity/PodSecurityMetrics.ts"
import { allocatorFamilies } from "../../src/core/admission/services/allocatorFamilies.ts"
import { admissionFamilies } from "../../src/core/metrics/admissionFamilies.ts"
import { storeFamilies, watchCacheFamilies } from "../../src/core/metrics/storageFamilies.ts"
import { accessFamilies, serverFamilies } from "../../src/http/metrics/accessFamilies.ts"
import { requestFamilies } from "../../src/http/metrics/requestFamilies.ts"
import { securityFamilies } from "../../src/security/metrics/securityFamilies.ts"
import { type RunningServer, startServer } from "./startServer.ts"

/** A family, as kube-apiserver v1.36.2 prints it. */
interface Expected {
  readonly type: string
  readonly labels: ReadonlyArray<string>
  readonly buckets?: ReadonlyArray<string>
}

const expectedFamilies = JSON.parse(
  readFileSync(new URL("fixtures/metrics.json", import.meta.url), "utf8")
) as Readonly<Record<string, Expected>>

interface Printed {
  readonly type: string
  readonly labels: Set<string>
  readonly buckets: Set<string>
}

/** Returns the families of a page in the text format. */
const familiesOf = (page: string): ReadonlyMap<string, Printed> => {
  const families = new Map<string, Printed>()
  for (const [, name = "", type = ""] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    families.set(name, { type, labels: new Set(), buckets: new Set() })
  for (const [, sample = "", labels = ""] of page.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const family = families.get(sample) ?? families.get(sample.replace(/_(?:bucket|sum|count)$/, ""))
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (label === "le") family?.buckets.add(value)
      else family?.labels.add(label)
    }
  }
  return families
}

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"

/** Sends requests of all kinds. */
const sendRequests = Effect.fnUntraced(function* ({ ask, stream }: RunningServer) {
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }
  yield* ask("POST", `${CONFIGMAPS}?dryRun=All`, { body: configMap })
  yield* ask("POST", CONFIGMAPS, { body: configMap })
  yield* ask("PATCH", `${CONFIGMAPS}/a`, {
    body: { data: { b: "c" } },
    headers: { "content-type": "application/merge-patch+json" }
  })
  yield* ask("PATCH", `${CONFIGMAPS}/a?fieldManager=me`, {
    body: configMap,
    headers: { "content-type": "application/apply-patch+yaml" }
  })
  const watching = `${CONFIGMAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`
  const cut: Array<() => void> = []
  yield* Effect.callback<void>((resume) => {
    const line = (text: string) => {
      if (text.includes("initial-events-end")) resume(Effect.void)
    }
    cut.push(stream(watching, { line, end: () => {} }))
  })
  yield* ask("GET", `${CONFIGMAPS}?limit=1`)
  yield* ask("GET", CONFIGMAPS)
  yield* ask("GET", "/api/v1/nodes", { token: "alice" })
  yield* ask("GET", "/api/v1/nodes", { token: "unknown" })
  yield* ask("GET", "/api/v1/endpoints")
  yield* ask("GET", "/livez")
  yield* ask("GET", "/version", { headers: { "impersonate-user": "alice" } })
  yield* ask("POST", "/api/v1/namespaces/default/services", {
    body: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }], type: "NodePort" }
    }
  })
  yield* ask("DELETE", `${CONFIGMAPS}/a`)
  return { cut: () => cut[0]?.() }
})

/** Families that this server has only with a certificate, a file or a choice of authorizer. */
const elsewhere: ReadonlySet<string> = new Set([
  "apiserver_client_certificate_expiration_seconds",
  "apiserver_storage_size_bytes",
  "kubernetes_feature_enabled"
])

/** Families that kube-apiserver has and this server has not: their subject does not exist here, or is not measured. */
const absent =
  /^(?:apiextensions|apiserver_(?:cel|impersonation_.*(?:authorization|duration)|nodeport_repair|request_timestamp|selfrequest|storage_db)|apiserver_flowcontrol_(?:demand_seats$|dispatch_r|latest_s|next_|priority_level_|read_vs|target|watch_count))|^serviceaccount_/

/** The families of a table of rows; a row may come with what reads it. */
const namesIn = (rows: object): ReadonlyArray<string> =>
  Object.values(rows).map((row) => (Array.isArray(row) ? row[0].name : row.name))

describe("docs/reference/metrics.md", () => {
  it("lists the families of the API server, and no others", () => {
    const page = readFileSync(new URL("../../../../docs/reference/metrics.md", import.meta.url), "utf8")
    const [, own = ""] = page.split("## The API server")
    const listed = [...(own.split("### The process")[0] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    const tables = [accessFamilies, admissionFamilies, allocatorFamilies, flowFamilies, flowGauges, levelGauges]
    const more = [
      podSecurityFamilies,
      requestFamilies,
      securityFamilies,
      serverFamilies,
      new HealthSlis().set.families(),
      storeFamilies,
      watchCacheFamilies
    ]
    assert.sameMembers(listed, [...tables, ...more].flatMap(namesIn))
  })
})

describe("the page of metrics", () => {
  it.live("has the families of kube-apiserver, with their types, labels and buckets", () =>
    Effect.gen(function* () {
      const served = yield* startServer({ fair: {} })
      const { cut } = yield* sendRequests(served)
      const printed = familiesOf((yield* served.ask("GET", "/metrics")).body)
      cut()
      const missing: Array<string> = []
      for (const [name, expected] of Object.entries(expectedFamilies)) {
        const found = printed.get(name)
        if (found === undefined) {
          if (!elsewhere.has(name) && !absent.test(name)) missing.push(name)
          continue
        }
        assert.strictEqual(found.type, expected.type, name)
        assert.sameMembers([...found.labels], [...expected.labels], name)
        if (expected.buckets !== undefined)
          assert.deepStrictEqual([...found.buckets], [...expected.buckets, "+Inf"], name)
      }
      assert.deepStrictEqual(missing, [])
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("counts requests by the verbs of kube-apiserver, and not those that were refused before", () =>
    Effect.gen(function* () {
      const served = yield* startServer({ fair: {} })
      const { cut } = yield* sendRequests(served)
      const body = () => Effect.map(served.ask("GET", "/metrics"), (answer) => answer.body)
      const count = (page: string, ...parts: ReadonlyArray<string>) => {
        const lines = page.split("\n").filter((line) => parts.every((part) => line.includes(part)))
        return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
      }
      const before = yield* body()
      const total = (...labels: ReadonlyArray<string>) =>
        count(before, "apiserver_request_total{", 'resource="configmaps"', ...labels)
      assert.strictEqual(total('verb="POST"', 'dry_run=""', 'code="201"'), 1)
      assert.strictEqual(total('verb="POST"', 'dry_run="All"'), 1)
      assert.strictEqual(total('verb="APPLY"', 'scope="resource"'), 1)
      assert.strictEqual(total('verb="LIST"', 'scope="namespace"'), 2)
      assert.strictEqual(total('verb="WATCH"'), 0)
      assert.strictEqual(count(before, "apiserver_longrunning_requests{", 'resource="configmaps"'), 1)
      assert.notMatch(before, /apiserver_request_total\{.*resource="nodes"/)
      assert.match(before, /apiserver_request_total\{code="200",component="",.*subresource="\/livez"/)
      assert.match(before, /^authentication_attempts\{result="error"\} 1$/m)
      assert.match(before, /^authenticated_user_requests\{username="other"\} 1$/m)
      assert.match(before, /^apiserver_requested_deprecated_apis\{.*resource="endpoints".*\} 1$/m)
      cut()
      yield* Effect.sleep("100 millis")
      assert.strictEqual(count(yield* body(), "apiserver_request_total{", 'resource="configmaps"', 'verb="WATCH"'), 1)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("is protobuf for Prometheus", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const accept = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
      const answer = yield* ask("GET", "/metrics", { headers: { accept } })
      assert.match(String(answer.headers["content-type"]), /^application\/vnd\.google\.protobuf; proto=/)
      assert.strictEqual(answer.bytes[1], 0x0a)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
