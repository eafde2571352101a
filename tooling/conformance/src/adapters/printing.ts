import { parseTime } from "@rollcall/api"
import { humanDuration } from "@rollcall/api/printing"
import { printerOf, tableOf, type WireTable } from "@rollcall/printers"
import type { Adapters, Json } from "../Adapter.ts"

const tableFor = (object: Json, now: string): WireTable => {
  const [version, group = ""] = object.apiVersion.split("/").toReversed()
  const nowMs = parseTime(now)
  return tableOf(printerOf({ group: version === undefined ? "" : group, kind: object.kind }), [object], { nowMs })
}

const cellsOf = ({ columnDefinitions, rows }: WireTable): Json =>
  Object.fromEntries((columnDefinitions ?? []).map(({ name }, index) => [name, rows[0]?.cells[index]]))

const columnsOf = ({ columnDefinitions }: WireTable): Json =>
  columnDefinitions?.map(({ name, priority, type }) => ({ name, priority, type }))

export const printingAdapters: Adapters = {
  "printing/duration": ({ given }) => ({ text: humanDuration(given.seconds * 1000) }),
  "printing/node": ({ given }) => ({ cells: cellsOf(tableFor(given.node, given.now)) }),
  "printing/pod": ({ given }) => {
    const table = tableFor(given.pod, given.now)
    return { cells: cellsOf(table), rowConditions: table.rows[0]?.conditions ?? [] }
  },
  "printing/other": ({ given }) => {
    const table = tableFor(given.object, given.now)
    return { columns: columnsOf(table), cells: cellsOf(table) }
  }
}
