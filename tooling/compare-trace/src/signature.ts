import type { Entry } from "./Recording.ts"

/** The fields of an entry that must be equal in two runs, other than time and identity. */
const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  ConditionChanged: ["condition", "from", "to", "reason", "message"],
  TaintAdded: ["key", "effect", "value"],
  TaintRemoved: ["key", "effect"],
  TaintChanged: ["key", "effect"],
  CordonChanged: ["unschedulable"],
  NodeDeleted: [],
  AllZonesDown: ["entered"],
  // The recorded log lacks the changes that end AllZonesDown, so `from` differs in later entries.
  ZoneStateChanged: ["zone", "to"],
  PodReadyChanged: ["ready"],
  PodPhaseChanged: ["from", "to"],
  PodConditionChanged: ["condition", "reason"],
  PodEvictionScheduled: [],
  PodEvictionCancelled: [],
  PodDeletionRequested: ["by", "gracePeriodSeconds"],
  PodDeleted: []
}

/** Returns the content of an entry without its time and its object, or undefined if entries of its type are not compared. */
export const signatureOf = (entry: Entry): string | undefined => {
  const fields = fieldsOf[entry.type]
  return fields === undefined ? undefined : [entry.type, ...fields.map((field) => String(entry[field] ?? ""))].join(" ")
}
