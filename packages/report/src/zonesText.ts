import { sortedEntries } from "@rollcall/api"
import { plural, some } from "@rollcall/text"
import type { ReportContext } from "./ReportContext.ts"

/** The most zones that a text names. */
const MAX_ZONES = 4

const countByZone = (nodes: ReadonlyArray<string>, zoneOf: (node: string) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const node of nodes) {
    const zone = node === "" ? "" : zoneOf(node)
    counts.set(zone, (counts.get(zone) ?? 0) + 1)
  }
  return new Map(sortedEntries(counts))
}

/** Describes the zones of a list of nodes: ` in zone-a`, ` (zone-a 3, zone-b 5)`. */
export const inZones = (nodes: ReadonlyArray<string>, zoneOf: (node: string) => string): string => {
  const counts = [...countByZone(nodes, zoneOf)]
  const [only] = counts
  if (only !== undefined && counts.length === 1) return only[0] === "" ? "" : ` in ${only[0]}`
  return counts.length > MAX_ZONES
    ? ` in ${counts.length} zones`
    : ` (${counts.map(([zone, count]) => `${zone || "no zone"} ${count}`).join(", ")})`
}

/** Describes nodes and their share of each zone: `17 nodes (zone-b: all 10, zone-c: 7 of 10): b-0, b-1, b-2 and 14 more`. */
export const onNodes = (nodes: ReadonlyArray<string>, { sizeOf, zoneOf }: ReportContext): string => {
  const counts = [...countByZone(nodes, zoneOf)]
  const parts = counts.map(([zone, count]) => {
    const size = sizeOf?.(zone)
    const share = size === undefined ? String(count) : size === count ? `all ${count}` : `${count} of ${size}`
    return `${zone || "no zone"}: ${share}`
  })
  const where =
    nodes.length < 2 || counts.length > MAX_ZONES || (counts.length === 1 && counts[0]?.[0] === "")
      ? ""
      : ` (${parts.join(", ")})`
  return `${plural(nodes.length, "node")}${where}: ${some(nodes)}`
}
