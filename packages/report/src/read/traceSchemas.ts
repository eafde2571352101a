import { deletedBy, type TraceFields, type TraceType } from "@rollcall/simulator/result"
import * as Schema from "effect/Schema"

const { Boolean: Switch, Finite, String: Text } = Schema
const Texts = Schema.Array(Text)
const Nullable = Schema.NullOr(Text)
const ofPod = { namespace: Text, pod: Text }
const onNode = { ...ofPod, node: Text }
const ofZone = { region: Text, zone: Text }
const ofTaint = { node: Text, key: Text, effect: Text, value: Text, timeAdded: Nullable }

/** The fields of each type of trace entry, other than `at` and `type`. */
const fields = {
  FaultStarted: { fault: Text, nodes: Texts },
  FaultEnded: { fault: Text, nodes: Texts },
  Action: { do: Text, nodes: Texts },
  NodeRegistered: { node: Text },
  NodeDeleted: { node: Text },
  ConditionChanged: { node: Text, condition: Text, from: Nullable, to: Nullable, reason: Text, message: Text },
  TaintAdded: ofTaint,
  TaintRemoved: ofTaint,
  TaintChanged: ofTaint,
  CordonChanged: { node: Text, unschedulable: Switch },
  ZoneCreated: ofZone,
  ZoneStateChanged: { ...ofZone, from: Text, to: Text },
  ZoneRateChanged: { ...ofZone, nodesPerSecond: Finite },
  AllZonesDown: { entered: Switch },
  PodCreated: { ...ofPod, owner: Nullable, node: Schema.optionalKey(Text) },
  PodScheduled: onNode,
  PodUnschedulable: { ...ofPod, message: Text },
  PodPhaseChanged: { ...onNode, from: Text, to: Text, reason: Text },
  ContainerSwapLimited: { ...onNode, container: Text, behaviour: Text, limit: Text },
  PodReadyChanged: { ...onNode, ready: Switch },
  PodConditionChanged: { ...onNode, condition: Text, status: Text, reason: Text },
  PodEvictionScheduled: { ...onNode, due: Finite },
  PodEvictionCancelled: onNode,
  PodDeletionRequested: { ...onNode, by: Schema.Literals(deletedBy), gracePeriodSeconds: Finite },
  PodRejected: { ...onNode, reason: Text, message: Text },
  PodDeleted: onNode,
  ShutdownStarted: { node: Text, delaySeconds: Finite },
  ShutdownPhase: {
    node: Text,
    priority: Finite,
    graceSeconds: Finite,
    pods: Schema.Array(Schema.Struct({ ...ofPod, graceSeconds: Finite }))
  },
  ShutdownCancelled: { node: Text },
  ShutdownFinished: { node: Text, cutOff: Switch },
  VolumeDetached: { node: Text, volume: Text, forced: Switch },
  SplitBrain: { ...ofPod, nodes: Schema.Tuple([Text, Text]) },
  CidrAssigned: { node: Text, cidrs: Texts },
  CidrReleased: { node: Text, cidrs: Texts },
  LeaderChanged: { component: Text, holder: Text },
  LeaseRenewed: { node: Text, renewTime: Text }
} satisfies {
  readonly [Type in TraceType]: {
    readonly [Field in keyof TraceFields[Type]]-?: Schema.Schema<TraceFields[Type][Field]>
  }
}

const ofType = <Type extends TraceType>(type: Type) =>
  Schema.Struct({ at: Finite, type: Schema.Literal(type), ...fields[type] })

/** The schema of each type of trace entry, with exactly the fields that a rehearsal writes. */
export const traceSchemas: { readonly [Type in TraceType]: Schema.Codec<unknown> } = Object.fromEntries(
  (Object.keys(fields) as ReadonlyArray<TraceType>).map((type) => [type, ofType(type)])
) as never
