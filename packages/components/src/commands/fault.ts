import { formatMicroTime, formatTime, parseDuration, parseTime } from "@rollcall/api"
import { fromConnection } from "@rollcall/cluster"
import { didYouMean, invalid } from "@rollcall/simulator/input"
import { faults } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { remoteConnection } from "../clients/remote.ts"
import { clientFlags, commonFlags } from "../flags/common.ts"
import { type Flags, type FlagValues, flag } from "../flags/Flag.ts"
import type { Parsed, Program } from "../flags/parseFlags.ts"
import { type FleetFault, faultsName, readFaults } from "../fleet/FleetDocument.ts"
import { Host } from "../host/Host.ts"
import { readMap, writeMap } from "./maps.ts"

/** The command line of `rollcall fault`. */
export const faultProgram = {
  name: "rollcall fault",
  about: `Lets something happen to the nodes of a live cluster: ${faults.join(", ")}.\nOr: list, to see what is on; end ID…, or end --all.`,
  operands: "FAULT|list|end [ID…]",
  flags: {
    node: flag.texts("on these nodes"),
    zone: flag.text("", "on the nodes of this zone"),
    group: flag.text("", "on the nodes of this group of the fleet"),
    selector: flag.text("", "on the nodes that this label selector matches"),
    count: flag.integer(0, "on so many of those"),
    fraction: flag.number(0, "on this share of those, from 0 to 1"),
    for: flag.text("", "for so long: 90s, 12m (default: until it is ended)"),
    by: flag.text("", "latency or clock skew: 800ms, -2m"),
    rate: flag.number(0, "loss: the share of requests, from 0 to 1"),
    component: flag.text("", "controller-restart: of which component"),
    all: flag.boolean(false, "with end: all faults"),
    ...clientFlags,
    ...commonFlags
  }
} satisfies Program<Flags>

type Values = FlagValues<typeof faultProgram.flags>

const selectionOf = ({ count, fraction, group, node, selector, zone }: Values) => ({
  ...(node.length === 0 ? {} : { names: node }),
  ...(zone === "" ? {} : { zone }),
  ...(group === "" ? {} : { group }),
  ...(selector === "" ? {} : { selector }),
  ...(count === 0 ? {} : { count }),
  ...(fraction === 0 ? {} : { fraction })
})

/** Faults of the server and of components, which are on no node. */
const nowhere: ReadonlySet<string> = new Set(["api-server-down", "controller-restart"])

const faultOf = (name: string, values: Values, nowMs: number) =>
  Effect.gen(function* () {
    const fault = faults.find((known) => known === name)
    if (fault === undefined) {
      const known = [...faults, "list", "end"]
      const near = didYouMean(name, known) || `, expected one of ${known.join(", ")}`
      return yield* invalid("command line", "", `found ${JSON.stringify(name)}${near}`)
    }
    const nodes = selectionOf(values)
    if (!nowhere.has(fault) && Object.keys(nodes).length === 0) {
      return yield* invalid(
        "command line",
        "",
        `${fault} needs --node, --zone, --group, --selector, --count or --fraction`
      )
    }
    if (values.for !== "" && !(parseDuration(values.for) > 0)) {
      return yield* invalid(
        "command line",
        "--for",
        `found ${JSON.stringify(values.for)}, expected a duration such as 90s`
      )
    }
    if ((fault === "latency" || fault === "clock-skew") && Number.isNaN(parseDuration(values.by))) {
      return yield* invalid("command line", "--by", `is required for ${fault}, expected a duration such as 800ms`)
    }
    if (fault === "loss" && !(values.rate > 0 && values.rate <= 1)) {
      return yield* invalid("command line", "--rate", "is required for loss, expected a number above 0 and up to 1")
    }
    const written: FleetFault = {
      at: formatMicroTime(nowMs),
      fault,
      ...(nowhere.has(fault) ? {} : { nodes }),
      ...(values.for === "" ? {} : { for: values.for }),
      ...(values.by === "" ? {} : { by: values.by }),
      ...(values.rate === 0 ? {} : { rate: values.rate }),
      ...(values.component === "" ? {} : { component: values.component })
    }
    return written
  })

const whereText = ({ nodes }: FleetFault): string =>
  Object.entries(nodes ?? {})
    .map(([key, value]) => `${key}=${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(" ") || "-"

/** Begins, lists or ends faults. The fleet sees to the rest. */
export const runFault = Effect.fnUntraced(function* (values: Values, { operands }: Parsed<Values>) {
  const { print } = yield* Host
  const [name = "", ...ids] = operands
  if (name === "") return yield* invalid("command line", "", "say which fault; --help lists them")
  const timers = yield* Timers
  const begun = name === "list" || name === "end" ? undefined : yield* faultOf(name, values, timers.now())
  const cluster = fromConnection(yield* remoteConnection(values, "rollcall-fault/v1"))
  if (begun !== undefined) {
    const id = `${name}-${(yield* Random.nextIntBetween(0, 16 ** 6 - 1)).toString(16).padStart(6, "0")}`
    yield* writeMap(cluster, faultsName, { [id]: JSON.stringify(begun) })
    return print(`${id} begins${values.for === "" ? `; rollcall fault end ${id} ends it` : `, for ${values.for}`}`)
  }
  const { entries } = readFaults(yield* readMap(cluster, faultsName))
  if (name === "list") {
    if (entries.size === 0) return print("No faults are on.")
    const rows = [["ID", "FAULT", "WHERE", "SINCE", "FOR"]]
    for (const [id, fault] of entries) {
      rows.push([
        id,
        fault.fault,
        whereText(fault),
        formatTime(parseTime(fault.at)),
        String(fault.for ?? "until ended")
      ])
    }
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length))) ?? []
    for (const row of rows)
      print(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("   ")
          .trimEnd()
      )
    return
  }
  const ended = values.all ? [...entries.keys()] : ids
  const unknown = ended.find((id) => !entries.has(id))
  if (unknown !== undefined) {
    return yield* invalid(
      "command line",
      "",
      `no fault ${JSON.stringify(unknown)} is on${didYouMean(unknown, entries.keys())}`
    )
  }
  if (ended.length === 0) return yield* invalid("command line", "", "say which fault ends, or --all")
  yield* writeMap(cluster, faultsName, Object.fromEntries(ended.map((id) => [id, null])))
  for (const id of ended) print(`${id} ends`)
})
