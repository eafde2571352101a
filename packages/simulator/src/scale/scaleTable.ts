import type { LoadPerNode, ScaleLoad } from "./scaleModel.ts"

const grouped = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",")

/** Writes a number with two digits that count, or all before the point. */
const rounded = (value: number): string => (value >= 10 ? grouped(value) : String(Number(value.toPrecision(2))))

const megabytes = (bytes: number): string => rounded(bytes / 1e6)

const ROWS: ReadonlyArray<readonly [string, (load: ScaleLoad) => string]> = [
  ["pods", ({ nodes, podsPerNode }) => grouped(nodes * podsPerNode)],
  ["Lease renewals a second", ({ renewalsPerSecond }) => grouped(renewalsPerSecond)],
  ["statuses of Nodes a second", ({ statusesPerSecond }) => rounded(statusesPerSecond)],
  ["writes of pods a second", ({ podWritesPerSecond }) => rounded(podWritesPerSecond)],
  ["writes of Events a second", ({ eventWritesPerSecond }) => rounded(eventWritesPerSecond)],
  ["all writes a second", ({ writesPerSecond }) => grouped(writesPerSecond)],
  ["MB written a second", ({ bytesWrittenPerSecond }) => megabytes(bytesWrittenPerSecond)],
  ["watch events a second", ({ watchEventsPerSecond }) => grouped(watchEventsPerSecond)],
  ["MB to watches a second", ({ watchBytesPerSecond }) => megabytes(watchBytesPerSecond)],
  ["open watches", ({ openWatches }) => grouped(openWatches)],
  ["MB of objects", ({ objectBytes }) => megabytes(objectBytes)],
  ["MB in etcd at most", ({ storeBytes }) => megabytes(storeBytes)],
  ["MB of memory of each API server", ({ serverBytes }) => megabytes(serverBytes)],
  ["cores of requests on all API servers", ({ serverCores }) => rounded(serverCores)],
  ["cores of each to follow etcd", ({ followCores }) => rounded(followCores)],
  ["API servers of one thread", ({ servers }) => (servers === undefined ? "-" : grouped(servers))],
  ["cores of each etcd member", ({ etcdCores }) => rounded(etcdCores)]
]

const perNodeText = (each: LoadPerNode): string =>
  [
    `a node: ${rounded(each.renewalsPerSecond)} renewals and ${rounded(each.statusesPerSecond)} statuses a second`,
    `a pod's life: ${rounded(each.podWrites)} writes and ${rounded(each.podEvents)} writes of Events`,
    `bytes: Lease ${grouped(each.leaseBytes)}, Node ${grouped(each.nodeBytes)}, Pod ${grouped(each.podBytes)}, Event ${grouped(each.eventBytes)}`
  ].join("\n")

/** Prints the loads of several clusters, a column each. */
export const renderScaleTable = (loads: ReadonlyArray<ScaleLoad>, each: LoadPerNode): string => {
  const head = ["NODES", ...loads.map(({ nodes }) => grouped(nodes))]
  const rows = [head, ...ROWS.map(([name, cell]) => [name, ...loads.map(cell)])]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("   ")
  )
  return `${lines.join("\n")}\n\nRehearsed\n${perNodeText(each).replace(/^/gm, "  ")}\n`
}
