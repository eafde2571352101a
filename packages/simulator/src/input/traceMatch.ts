import { missing, show, unknownAmong, unknownName, type Wrong, wrongChoice } from "@rollcall/input"
import { type DeletedBy, deletedBy, type TraceFields, type TraceType, traceTypes } from "../trace/TraceEntry.ts"

const ofPod = ["namespace", "pod"] as const
const onNode = [...ofPod, "node"] as const
const ofZone = ["region", "zone"] as const
const ofTaint = ["node", "key", "effect", "value", "timeAdded"] as const

/** The fields that each type of trace entry has, for expectations that name them. */
const fieldsOf: { readonly [Type in TraceType]: ReadonlyArray<keyof TraceFields[Type]> } = {
  FaultStarted: ["fault", "nodes"],
  FaultEnded: ["fault", "nodes"],
  Action: ["do", "nodes"],
  NodeRegistered: ["node"],
  NodeDeleted: ["node"],
  ConditionChanged: ["node", "condition", "from", "to", "reason", "message"],
  TaintAdded: ofTaint,
  TaintRemoved: ofTaint,
  TaintChanged: ofTaint,
  CordonChanged: ["node", "unschedulable"],
  ZoneCreated: ofZone,
  ZoneStateChanged: [...ofZone, "from", "to"],
  ZoneRateChanged: [...ofZone, "nodesPerSecond"],
  AllZonesDown: ["entered"],
  PodCreated: [...ofPod, "owner", "node"],
  PodScheduled: onNode,
  PodUnschedulable: [...ofPod, "message"],
  PodPhaseChanged: [...onNode, "from", "to", "reason"],
  ContainerSwapLimited: [...onNode, "container", "behaviour", "limit"],
  PodReadyChanged: [...onNode, "ready"],
  PodConditionChanged: [...onNode, "condition", "status", "reason"],
  PodEvictionScheduled: [...onNode, "due"],
  PodEvictionCancelled: onNode,
  PodDeletionRequested: [...onNode, "by", "gracePeriodSeconds"],
  PodRejected: [...onNode, "reason", "message"],
  PodDeleted: onNode,
  ShutdownStarted: ["node", "delaySeconds"],
  ShutdownPhase: ["node", "priority", "graceSeconds", "pods"],
  ShutdownCancelled: ["node"],
  ShutdownFinished: ["node", "cutOff"],
  VolumeDetached: ["node", "volume", "forced"],
  SplitBrain: [...ofPod, "nodes"],
  CidrAssigned: ["node", "cidrs"],
  CidrReleased: ["node", "cidrs"],
  LeaderChanged: ["component", "holder"],
  LeaseRenewed: ["node", "renewTime"]
}

const statuses = ["True", "False", "Unknown"]
const states = ["Initial", "Normal", "PartialDisruption", "FullDisruption"]
const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"]
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
const causes: ReadonlyArray<DeletedBy> = deletedBy

/** The possible values of fields that are enumerations, by the type of the entry. */
const valuesOf: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  ConditionChanged: { from: statuses, to: statuses },
  ZoneStateChanged: { from: states, to: states },
  PodPhaseChanged: { from: phases, to: phases },
  TaintAdded: { effect: effects },
  TaintRemoved: { effect: effects },
  TaintChanged: { effect: effects },
  PodDeletionRequested: { by: causes }
}

const isTraceType = (type: unknown): type is TraceType => typeof type === "string" && traceTypes.includes(type)

/** Returns the problems of an expectation of trace entries that no entry can match: the path of a field, and what is wrong there. */
export const traceMatchProblems = (
  match: Readonly<Record<string, unknown>>
): ReadonlyArray<readonly [path: string, wrong: Wrong]> => {
  const { at: _, type, ...fields } = match
  if (type === undefined) return [["type", missing(`, one of ${traceTypes.join(", ")}`)]]
  if (!isTraceType(type)) {
    return [["type", unknownName(`no trace entry has the type ${show(type)}`, String(type), traceTypes)]]
  }
  const known: ReadonlyArray<string> = fieldsOf[type]
  return Object.entries(fields).flatMap(([field, value]): ReadonlyArray<readonly [string, Wrong]> => {
    if (!known.includes(field)) {
      return [[field, unknownAmong(`${type} has no such field`, field, known)]]
    }
    const values = valuesOf[type]?.[field]
    return values === undefined || value === null || values.includes(String(value))
      ? []
      : [[field, wrongChoice(value, values)]]
  })
}
