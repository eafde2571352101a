import { isDurationText, isSignedDurationText, Quantity } from "@rollcall/input"
import * as Schema from "effect/Schema"
import { deletedBy } from "../trace/TraceEntry.ts"
import { CloudProviderSpec } from "./cloud.ts"
import { actions, faults } from "./eventNames.ts"
import { TopologySpec } from "./topology.ts"

export { type ActionName, actions, type FaultName, faults } from "./eventNames.ts"

/**
 * The scenario contract, `rollcall.dev/v1alpha1`: the shape of the file. What a field means is in docs/scenario.md.
 */
const Names = Schema.Array(Schema.String)
const StringMap = Schema.Record(Schema.String, Schema.String)
const Anything = Schema.Record(Schema.String, Schema.Unknown)

const DURATION = "a duration that is not negative, such as 90s, 12m or 1h30m, or a number of seconds"
const SIGNED_DURATION = "a duration such as 800ms, 90s or -2m, or a number of seconds"

const nonNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: DURATION }))
const count = Schema.Finite.check(
  Schema.makeFilter((value: number) => Number.isInteger(value) && value > 0, { expected: "a whole number above 0" })
)
const rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "a number from 0 to 1" }))

/** Go's duration text, or a number of seconds; never negative. */
const Duration = Schema.Union([
  nonNegative,
  Schema.String.check(Schema.makeFilter(isDurationText, { expected: DURATION }))
]).annotate({ expected: DURATION })

const SignedDuration = Schema.Union([
  Schema.Finite,
  Schema.String.check(Schema.makeFilter(isSignedDurationText, { expected: SIGNED_DURATION }))
]).annotate({ expected: SIGNED_DURATION })

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const

const TaintSpec = Schema.Struct({
  key: Schema.String,
  value: Schema.optionalKey(Schema.String),
  effect: Schema.Literals(taintEffects)
})

export const NodeGroup = Schema.Struct({
  name: Schema.String,
  count: Schema.optionalKey(count),
  zone: Schema.optionalKey(Schema.String),
  region: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(StringMap),
  taints: Schema.optionalKey(Schema.Array(TaintSpec)),
  capacity: Schema.optionalKey(Schema.Record(Schema.String, Quantity)),
  kubelet: Schema.optionalKey(Anything),
  topology: Schema.optionalKey(TopologySpec),
  /** Swap space of each machine. */
  swap: Schema.optionalKey(Quantity),
  staticPods: Schema.optionalKey(Schema.Array(Anything))
})
export interface NodeGroup extends Schema.Schema.Type<typeof NodeGroup> {}

const LabelSelector = Schema.Union([Schema.String, Anything])

/** Which nodes: all criteria given together; then some of them, in the order of the seed. */
const NodeSelection = Schema.Struct({
  names: Schema.optionalKey(Names),
  group: Schema.optionalKey(Schema.String),
  zone: Schema.optionalKey(Schema.String),
  selector: Schema.optionalKey(LabelSelector),
  fraction: Schema.optionalKey(rate),
  count: Schema.optionalKey(count)
})
export interface NodeSelection extends Schema.Schema.Type<typeof NodeSelection> {}

/** A namespace and a name; the namespace defaults to `default`. */
const ObjectReference = Schema.Struct({
  kind: Schema.String,
  namespace: Schema.optionalKey(Schema.String),
  name: Schema.String
})

export const EventSpec = Schema.Struct({
  at: Duration,
  for: Schema.optionalKey(Duration),
  fault: Schema.optionalKey(Schema.Literals(faults)),
  do: Schema.optionalKey(Schema.Literals(actions)),
  nodes: Schema.optionalKey(NodeSelection),
  by: Schema.optionalKey(SignedDuration),
  rate: Schema.optionalKey(rate),
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
  objects: Schema.optionalKey(Schema.Array(Anything)),
  manifests: Schema.optionalKey(Names),
  object: Schema.optionalKey(ObjectReference),
  force: Schema.optionalKey(Schema.Boolean),
  ignoreDaemonsets: Schema.optionalKey(Schema.Boolean),
  deleteEmptydirData: Schema.optionalKey(Schema.Boolean),
  disableEviction: Schema.optionalKey(Schema.Boolean),
  gracePeriodSeconds: Schema.optionalKey(Schema.Int),
  timeout: Schema.optionalKey(Duration),
  skipWaitForDeleteTimeout: Schema.optionalKey(Duration),
  podSelector: Schema.optionalKey(LabelSelector),
  patch: Schema.optionalKey(Anything),
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
  trace: Schema.optionalKey(Anything),
  ...Bounds,
  ...Window
})
export interface Expectation extends Schema.Schema.Type<typeof Expectation> {}

/** How a recording's own kubelets behaved: a fixed grid without jitter instead of a kubelet's own timings. */
const Driver = Schema.Struct({
  leaseRenewSeconds: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  statusHeartbeatSeconds: Schema.optionalKey(nonNegative),
  podTerminateSeconds: Schema.optionalKey(nonNegative)
})

const Config = Schema.Struct({
  kubeControllerManager: Schema.optionalKey(Anything),
  kubeApiserver: Schema.optionalKey(Anything),
  apiserver: Schema.optionalKey(Anything),
  kubelet: Schema.optionalKey(Anything),
  scheduler: Schema.optionalKey(Anything),
  cloudProvider: Schema.optionalKey(CloudProviderSpec),
  cloudControllerManager: Schema.optionalKey(Anything)
})

export const ScenarioDocument = Schema.Struct({
  apiVersion: Schema.Literal("rollcall.dev/v1alpha1"),
  kind: Schema.Literal("Scenario"),
  metadata: Schema.Struct({
    name: Schema.String,
    labels: Schema.optionalKey(StringMap),
    annotations: Schema.optionalKey(StringMap)
  }),
  notes: Schema.optionalKey(Schema.String),
  spec: Schema.Struct({
    release: Schema.optionalKey(Schema.String),
    seed: Schema.optionalKey(Schema.Int),
    duration: Duration,
    description: Schema.optionalKey(Schema.String),
    cluster: Schema.Struct({
      snapshot: Schema.optionalKey(Names),
      nodes: Schema.optionalKey(Schema.Array(NodeGroup)),
      manifests: Schema.optionalKey(Names),
      objects: Schema.optionalKey(Schema.Array(Anything)),
      controlPlane: Schema.optionalKey(Schema.Struct({ replicas: Schema.optionalKey(count) }))
    }),
    config: Schema.optionalKey(Config),
    flags: Schema.optionalKey(Schema.Record(Schema.String, Names)),
    driver: Schema.optionalKey(Driver),
    events: Schema.optionalKey(Schema.Array(EventSpec)),
    expect: Schema.optionalKey(Schema.Array(Expectation))
  })
})
/** A scenario as it is written. */
export interface ScenarioDocument extends Schema.Schema.Type<typeof ScenarioDocument> {}
