import type { Entry } from "./Recording.ts"

/** The fields of an entry that two runs must agree on, beside time and identity. */
const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  ConditionChanged: ["condition", "from", "to", "reason", "message"],
  TaintAdded: ["key", "effect", "value"],
  TaintRemoved: ["key", "effect"],
  TaintChanged: ["key", "effect"],
  CordonChanged: ["unschedulable"],
  NodeDeleted: [],
  AllZonesDown: ["entered"],
  // The recorded log is silent about the changes that end AllZonesDown, so that its later entries come from elsewhere.
  ZoneStateChanged: ["zone", "to"],
  PodReadyChanged: ["ready"],
  PodPhaseChanged: ["from", "to"],
  PodConditionChanged: ["condition", "reason"],
  PodEvictionScheduled: [],
  PodEvictionCancelled: [],
  PodDeletionRequested: ["by", "gracePeriodSeconds"],
  PodDeleted: []
}

/** What an entry says, whichever object it says it of; undefined for what is not compared. */
export const signatureOf = (entry: Entry): string | undefined => {
  const fields = fieldsOf[entry.type]
  return fields === undefined ? undefined : [entry.type, ...fields.map((field) => String(entry[field] ?? ""))].join(" ")
}
