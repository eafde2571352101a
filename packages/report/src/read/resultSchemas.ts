import { resultVersion } from "@rollcall/simulator/result"
import * as Schema from "effect/Schema"

const { Boolean: Switch, Finite, String: Text } = Schema
const Texts = Schema.Array(Text)
const Items = Schema.Array(Schema.Unknown)
const record = <Value extends Schema.Constraint>(value: Value) => Schema.Record(Text, value)
const optional = Schema.optionalKey

const Rules = Schema.Struct({
  release: Text,
  grace: Finite,
  period: Finite,
  heartbeat: Finite,
  rate: Finite,
  secondaryRate: Finite,
  largeSize: Finite,
  unhealthyShare: Finite,
  evictionTimeout: optional(Finite),
  toleration: Finite,
  notReadyToleration: Finite,
  leaderElect: Switch,
  leaseDuration: Finite,
  renewDeadline: Finite,
  runtimeCheck: Finite,
  runtimeDownAfter: Finite
})

const ObjectName = Schema.Struct({ kind: Text, name: Text })

const EventDetails = Schema.Struct({
  bySeconds: optional(Finite),
  rate: optional(Finite),
  available: optional(Text),
  object: optional(ObjectName),
  objects: optional(Schema.Array(ObjectName)),
  manifests: optional(Texts),
  fields: optional(Texts),
  replicas: optional(Finite),
  taint: optional(Schema.Struct({ key: Text, effect: optional(Text) })),
  force: optional(Switch)
})

const Steps = Schema.Array(Schema.Tuple([Finite, Finite]))

const Context = Schema.Struct({
  description: Text,
  rules: Rules,
  podEviction: Schema.Literals(["taints", "deletion"]),
  evictionRate: Finite,
  events: Schema.Array(EventDetails),
  zones: record(Texts),
  workloads: Schema.Array(Schema.Struct({ kind: Text, namespace: Text, name: Text, ready: Steps, wanted: Steps })),
  owners: record(Schema.NullOr(Text)),
  outside: Texts,
  classOnly: record(Text)
})

const Workload = Schema.Struct({
  kind: Text,
  namespace: Text,
  name: Text,
  minReady: Finite,
  unavailableSeconds: Finite,
  neverAllReady: optional(Schema.Literal(true)),
  allReadyFrom: optional(Finite)
})

const Client = Schema.Struct({
  client: Text,
  qps: Finite,
  burst: Finite,
  requests: Finite,
  longestWaitSeconds: Finite,
  longestWaitAt: Finite
})

const Summary = Schema.Struct({
  evictions: Schema.Struct({ total: Finite, byZone: record(Finite), byReason: record(Finite) }),
  nodes: Schema.Struct({ registered: Finite, deleted: Finite, notReadySeconds: record(Finite) }),
  workloads: Schema.Array(Workload),
  clients: Schema.Array(Client),
  events: Finite,
  wallSeconds: Finite,
  traceDigest: Text
})

/** The schema of a result without the items of its long lists, which `checkReported` checks one by one. */
export const ResultSchema = Schema.Struct({
  apiVersion: Schema.Literal(resultVersion),
  kind: Schema.Literal("ScenarioResult"),
  metadata: Schema.Struct({ name: Text }),
  spec: Schema.Struct({
    release: Text,
    seed: Finite,
    durationSeconds: Finite.check(Schema.isGreaterThan(0, { expected: "a number of seconds above 0" })),
    layers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Text, sha256: Text })))
  }),
  expectations: Schema.Array(Schema.Struct({ name: Text, held: Switch, at: Finite, observed: Text })),
  summary: Summary,
  warnings: Texts,
  context: Context,
  trace: Items,
  events: Items,
  metrics: Items,
  bugs: optional(Schema.Array(Schema.Struct({ at: Finite, invariant: Text, message: Text })))
})

/** The schema of an item of `events`. */
export const EventRecordSchema = Schema.Struct({
  at: Finite,
  type: Text,
  reason: Text,
  message: Text,
  component: Text,
  kind: Text,
  namespace: Text,
  name: Text,
  objectHasUID: Switch,
  storedIn: Text,
  count: Finite
})

/** The schema of an item of `metrics`. */
export const ZoneMetricsSchema = Schema.Struct({
  at: Finite,
  zones: record(Schema.Struct({ size: Finite, health: Finite, unhealthy: Finite, evictions: Finite }))
})

const comparisonFields = {
  apiVersion: Schema.Literal(resultVersion),
  scenario: optional(Schema.Struct({ name: Text, description: Text })),
  sections: Schema.Array(
    Schema.Struct({ title: Text, rows: Schema.Array(Schema.Struct({ what: Text, cells: Texts })) })
  )
}

export const ReleaseComparisonSchema = Schema.Struct({
  ...comparisonFields,
  kind: Schema.Literal("ReleaseComparison"),
  releases: Texts
})

export const SettingComparisonSchema = Schema.Struct({
  ...comparisonFields,
  kind: Schema.Literal("SettingComparison"),
  setting: Text,
  values: Texts,
  seeds: Schema.Array(Finite)
})
