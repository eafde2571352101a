import type { TraceEntry } from "@rollcall/simulator/result"
import type { PodEviction, ReportContext } from "../ReportContext.ts"
import { inZones } from "../zonesText.ts"

/** The description of a trace entry, and which other entries share its line in the timeline. */
export interface EntryDescription {
  /** Entries with the same key share a line if they follow each other closely. An entry with the key "" has its own line. */
  readonly key: string
  /** The word in front of the text, such as `nodes`. */
  readonly topic: string
  /** The node or pod that the line counts. */
  readonly subject: string
  /** The most seconds between two entries of one line. */
  readonly gap: number
  /** Whether the line follows from others, so that a long timeline leaves it out. */
  readonly minor?: boolean
  /** Returns the text of the line, from its distinct subjects, its first and last time, and its entries. */
  readonly text: (
    subjects: ReadonlyArray<string>,
    from: number,
    to: number,
    entries: ReadonlyArray<TraceEntry>
  ) => string
}

/** A little more than the interval between two passes of the node controller, 5 s. */
export const SAME_PASS_SECONDS = 6.5
/** Longer than the interval between two NoExecute taints at the slower of the default rates, 0.01 nodes a second. */
export const RATE_LIMITED_SECONDS = 110

/** The zones of an entry, as its description needs them. */
export interface EntryPlaces {
  readonly podEviction: PodEviction
  /** The zone of the entry's node, or "" if it has none. */
  readonly zone: string
  /** ` in ZONE`, or "". */
  readonly inZone: string
  /** Returns the text about the zones of nodes: ` in zone-a`. */
  readonly zonesOfNodes: (nodes: ReadonlyArray<string>) => string
  /** Returns the text about the zones of the nodes of the entries' pods. Each pod counts once. */
  readonly zonesOfEntries: (entries: ReadonlyArray<TraceEntry>) => string
}

/** Returns the zones of an entry. */
export const entryPlaces = (entry: TraceEntry, { podEviction = "taints", zoneOf }: ReportContext): EntryPlaces => {
  const zone = "node" in entry && entry.node !== undefined && entry.node !== "" ? zoneOf(entry.node) : ""
  return {
    podEviction,
    zone,
    inZone: zone === "" ? "" : ` in ${zone}`,
    zonesOfNodes: (nodes) => inZones(nodes, zoneOf),
    zonesOfEntries: (entries) => {
      const nodeOf = new Map(
        entries.flatMap((one) => ("pod" in one && "node" in one ? [[one.pod, one.node ?? ""] as const] : []))
      )
      return inZones([...nodeOf.values()], zoneOf)
    }
  }
}
