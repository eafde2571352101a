import type { TraceEntry } from "@rollcall/simulator/result"
import type { Done, ReportContext } from "../ReportContext.ts"
import { inZones } from "../zonesText.ts"

/** How a trace entry is grouped with others and described. */
export interface EntryDescription {
  /** Entries with the same key that follow each other closely share one line; "" is never shared. */
  readonly key: string
  readonly topic: string
  /** The node or pod that the line counts. */
  readonly subject: string
  /** The most seconds between two entries of one line. */
  readonly gap: number
  readonly minor?: boolean
  readonly text: (
    subjects: ReadonlyArray<string>,
    from: number,
    to: number,
    entries: ReadonlyArray<TraceEntry>
  ) => string
}

/** A little more than the interval between two passes of the node controller. */
export const MOMENT = 6.5
/** Longer than the interval between two NoExecute taints at the slower of the default rates, 0.01 nodes a second. */
export const RATE_LIMITED = 110

/** Where an entry happened, as its description needs it. */
export interface EntryPlaces {
  readonly done: Done
  /** The zone of the entry's node; "" if it has none. */
  readonly zone: string
  /** ` in ZONE`, or "". */
  readonly at: string
  /** Describes the zones of nodes. */
  readonly ofNodes: (nodes: ReadonlyArray<string>) => string
  /** Describes the zones of the entries' pods, each pod once. */
  readonly ofEntries: (entries: ReadonlyArray<TraceEntry>) => string
}

export const entryPlaces = (
  entry: TraceEntry,
  { podEviction: done = "taints", zoneOf }: ReportContext
): EntryPlaces => {
  const zone = "node" in entry && entry.node !== undefined && entry.node !== "" ? zoneOf(entry.node) : ""
  return {
    done,
    zone,
    at: zone === "" ? "" : ` in ${zone}`,
    ofNodes: (nodes) => inZones(nodes, zoneOf),
    ofEntries: (entries) => {
      const nodeOf = new Map(
        entries.flatMap((one) => ("pod" in one && "node" in one ? [[one.pod, one.node ?? ""] as const] : []))
      )
      return inZones([...nodeOf.values()], zoneOf)
    }
  }
}
