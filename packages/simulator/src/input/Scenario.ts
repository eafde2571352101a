import { Count, Duration, Fields, Quantity, SelectorText, Share, SignedDuration, TextMap, Texts } from "@rollcall/input"
import { CloudProviderSpec, faults, NodeGroup, NodeSelection, taintEffects } from "@rollcall/machines"
import * as Schema from "effect/Schema"
import { deletedBy } from "../trace/TraceEntry.ts"
import { UsageSpec } from "../usage/UsageSpec.ts"

/** The actions of an operator in a scenario: the values of `do`. */
export const actions = [
  "apply",
  "delete",
  "patch",
  "cordon",
  "uncordon",
  "drain",
  "taint",
  "untaint",
  "label",
  "scale",
  "resize",
  "poweroff",
  "boot",
  "shutdown",
  "cancel-shutdown",
  "out-of-service",
  "clear-out-of-service"
] as const
export type ActionName = (typeof actions)[number]

/** A reference to an object. The namespace defaults to `default`. */
const ObjectReference = Schema.Struct({
  kind: Schema.String,
  namespace: Schema.optionalKey(Schema.String),
  name: Schema.String
})

/** An event of a scenario as written: a fault or an action at a time. `eventProblems` checks which fields each of them takes. */
export const EventSpec = Schema.Struct({
  at: Duration,
  for: Schema.optionalKey(Duration),
  fault: Schema.optionalKey(Schema.Literals(faults)),
  do: Schema.optionalKey(Schema.Literals(actions)),
  nodes: Schema.optionalKey(NodeSelection),
  by: Schema.optionalKey(SignedDuration),
  rate: Schema.optionalKey(Share),
  available: Schema.optionalKey(Quantity),
  component: Schema.optionalKey(Schema.String),
  process: Schema.optionalKey(Schema.Literals(["leader", "all"])),
  taint: Schema.optionalKey(
    Schema.Struct({
      key: Schema.String,
      value: Schema.optionalKey(Schema.String),
      effect: Schema.optionalKey(Schema.Literals(taintEffects))
    })
  ),
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  objects: Schema.optionalKey(Schema.Array(Fields)),
  manifests: Schema.optionalKey(Texts),
  object: Schema.optionalKey(ObjectReference),
  force: Schema.optionalKey(Schema.Boolean),
  ignoreDaemonsets: Schema.optionalKey(Schema.Boolean),
  deleteEmptydirData: Schema.optionalKey(Schema.Boolean),
  disableEviction: Schema.optionalKey(Schema.Boolean),
  gracePeriodSeconds: Schema.optionalKey(Schema.Int),
  timeout: Schema.optionalKey(Duration),
  skipWaitForDeleteTimeout: Schema.optionalKey(Duration),
  podSelector: Schema.optionalKey(SelectorText),
  patch: Schema.optionalKey(Fields),
  container: Schema.optionalKey(Schema.String),
  resources: Schema.optionalKey(
    Schema.Struct({
      requests: Schema.optionalKey(Schema.Record(Schema.String, Quantity)),
      limits: Schema.optionalKey(Schema.Record(Schema.String, Quantity))
    })
  ),
  replicas: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})
export interface EventSpec extends Schema.Schema.Type<typeof EventSpec> {}

const Window = {
  at: Schema.optionalKey(Duration),
  by: Schema.optionalKey(Duration),
  from: Schema.optionalKey(Duration),
  until: Schema.optionalKey(Duration)
}
const Bounds = { min: Schema.optionalKey(Schema.Finite), max: Schema.optionalKey(Schema.Finite) }

const Expectation = Schema.Struct({
  name: Schema.String,
  evictions: Schema.optionalKey(
    Schema.Struct({
      zone: Schema.optionalKey(Schema.String),
      node: Schema.optionalKey(Schema.String),
      namespace: Schema.optionalKey(Schema.String),
      by: Schema.optionalKey(Schema.Literals(deletedBy))
    })
  ),
  ready: Schema.optionalKey(ObjectReference),
  unavailableSeconds: Schema.optionalKey(ObjectReference),
  condition: Schema.optionalKey(
    Schema.Struct({ node: Schema.String, type: Schema.String, status: Schema.Literals(["True", "False", "Unknown"]) })
  ),
  taint: Schema.optionalKey(
    Schema.Struct({
      node: Schema.String,
      key: Schema.String,
      effect: Schema.optionalKey(Schema.Literals(taintEffects)),
      present: Schema.optionalKey(Schema.Boolean)
    })
  ),
  zoneState: Schema.optionalKey(
    Schema.Struct({
      zone: Schema.String,
      region: Schema.optionalKey(Schema.String),
      state: Schema.Literals(["Initial", "Normal", "PartialDisruption", "FullDisruption"])
    })
  ),
  pod: Schema.optionalKey(
    Schema.Struct({
      namespace: Schema.optionalKey(Schema.String),
      name: Schema.String,
      state: Schema.Literals(["running", "ready", "terminating", "gone", "pending"])
    })
  ),
  trace: Schema.optionalKey(Fields),
  ...Bounds,
  ...Window
})
export interface Expectation extends Schema.Schema.Type<typeof Expectation> {}

const Seconds = Schema.Finite.check(
  Schema.isGreaterThanOrEqualTo(0, { expected: "a number of seconds that is not negative" })
)

/** The timings of the kubelets in a recorded run, which replaces those of a real kubelet: fixed intervals without jitter. */
const Driver = Schema.Struct({
  leaseRenewSeconds: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  statusHeartbeatSeconds: Schema.optionalKey(Seconds),
  podTerminateSeconds: Schema.optionalKey(Seconds)
})

const Config = Schema.Struct({
  kubeControllerManager: Schema.optionalKey(Fields),
  kubeApiserver: Schema.optionalKey(Fields),
  apiserver: Schema.optionalKey(Fields),
  kubelet: Schema.optionalKey(Fields),
  scheduler: Schema.optionalKey(Fields),
  cloudProvider: Schema.optionalKey(CloudProviderSpec),
  cloudControllerManager: Schema.optionalKey(Fields)
})

/** The schema of a scenario file, `rollcall.dev/v1alpha1`. docs/reference/scenario.md describes the fields. */
export const ScenarioDocument = Schema.Struct({
  apiVersion: Schema.Literal("rollcall.dev/v1alpha1"),
  kind: Schema.Literal("Scenario"),
  metadata: Schema.Struct({
    name: Schema.String,
    labels: Schema.optionalKey(TextMap),
    annotations: Schema.optionalKey(TextMap)
  }),
  notes: Schema.optionalKey(Schema.String),
  spec: Schema.Struct({
    release: Schema.optionalKey(Schema.String),
    seed: Schema.optionalKey(Schema.Int),
    duration: Duration,
    description: Schema.optionalKey(Schema.String),
    cluster: Schema.Struct({
      snapshot: Schema.optionalKey(Texts),
      nodes: Schema.optionalKey(Schema.Array(NodeGroup)),
      manifests: Schema.optionalKey(Texts),
      objects: Schema.optionalKey(Schema.Array(Fields)),
      controlPlane: Schema.optionalKey(Schema.Struct({ replicas: Schema.optionalKey(Count) }))
    }),
    config: Schema.optionalKey(Config),
    flags: Schema.optionalKey(Schema.Record(Schema.String, Texts)),
    driver: Schema.optionalKey(Driver),
    layers: Schema.optionalKey(Texts),
    usage: Schema.optionalKey(Schema.Array(UsageSpec)),
    events: Schema.optionalKey(Schema.Array(EventSpec)),
    expect: Schema.optionalKey(Schema.Array(Expectation))
  })
})
/** A scenario as written. */
export interface ScenarioDocument extends Schema.Schema.Type<typeof ScenarioDocument> {}
