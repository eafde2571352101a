import { formatTime, parseTime } from "@rollcall/api"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { type FlagValues, flag, type Parsed } from "@rollcall/flags"
import { didYouMean, invalid } from "@rollcall/input"
import { faults } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { remoteConnection } from "../clients/remote.ts"
import { clientFlags, commonFlags } from "../flags/common.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { type FleetFault, faultsName, readFaults } from "../fleet/FleetDocument.ts"
import { Host } from "../host/Host.ts"
import { checkFaultName, faultOfFlags } from "./faultOfFlags.ts"
import { knownFleet } from "./knownFleet.ts"
import { readMap, writeMap } from "./maps.ts"
import { namesText } from "./namesText.ts"
import { startFault } from "./startFault.ts"
import { refuseMeaninglessFlags } from "./verbFlags.ts"

const selectionFlags = {
  node: flag.texts("select these nodes"),
  zone: flag.text("", "select the nodes of this zone"),
  group: flag.text("", "select the nodes of this group of the fleet"),
  selector: flag.text("", "select the nodes that match this label selector"),
  count: flag.integer(0, "pick this number of the selected nodes"),
  fraction: flag.number(0, "pick this share of the selected nodes, from 0 to 1"),
  for: flag.text("", "the duration by the cluster's clock, such as 90s or 12m (default: until the fault is ended)"),
  by: flag.text("", "latency, clock-skew: the amount, such as 800ms or -2m"),
  rate: flag.number(0, "loss: the share of lost packets, from 0 to 1; cloud-error: the share of failing calls"),
  available: flag.text("", "memory-, disk- and pid-pressure: the amount that is available, such as 100Mi"),
  component: flag.text("", "controller-restart: the component (default: kube-controller-manager)"),
  process: flag.text("", "controller-restart: which processes restart, leader or all")
} as const

/** The command line of `rollcall fault`. */
export const faultProgram = {
  name: "rollcall fault",
  about: `Start a fault on nodes of a live cluster: ${faults.join(", ")}.\nlist prints the active faults; end ID… or end --all ends them.`,
  operands: {
    usage: "FAULT|list|end [ID...]",
    help: "the fault to start, or list, or end with the IDs of the faults to end",
    choices: [...faults, "list", "end"]
  },
  flags: {
    ...selectionFlags,
    all: flag.boolean(false, "end: all active faults"),
    ...clientFlags,
    ...commonFlags
  },
  ...componentGrammar
} satisfies Program

type Values = FlagValues<typeof faultProgram.flags>

const COMMAND_LINE = "command line"

const whereText = ({ nodes }: FleetFault): string =>
  Object.entries(nodes ?? {})
    .map(([key, value]) => `${key}=${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(" ") || "-"

const sinceText = ({ at, refused }: FleetFault): string => {
  if (refused !== undefined) return "refused"
  return at === undefined ? "not begun" : formatTime(parseTime(at))
}

const rowOf = (id: string, fault: FleetFault): ReadonlyArray<string> => [
  id,
  fault.fault,
  whereText(fault),
  fault.on === undefined || fault.nodes === undefined ? "-" : String(fault.on.length),
  sinceText(fault),
  String(fault.for ?? "until ended")
]

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0)
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd()
  )
}

const listFaults = Effect.fnUntraced(function* (cluster: ClusterShape) {
  const { print } = yield* Host
  const { entries, problems } = readFaults(yield* readMap(cluster, faultsName))
  const rows = [...entries].map(([id, fault]) => rowOf(id, fault))
  if (rows.length === 0) print("No faults are on.")
  else for (const line of tableOf([["ID", "FAULT", "WHERE", "NODES", "SINCE", "FOR"], ...rows])) print(line)
  for (const problem of problems) print(`not a fault: ${problem}`)
})

const endFaults = Effect.fnUntraced(function* (cluster: ClusterShape, ids: ReadonlyArray<string>, all: boolean) {
  const { print } = yield* Host
  if (all === ids.length > 0) {
    return yield* invalid(COMMAND_LINE, "", all ? "end takes ids or --all, not both" : "say which fault ends, or --all")
  }
  const data = (yield* readMap(cluster, faultsName))?.data ?? {}
  const ended = all ? Object.keys(data) : [...new Set(ids)]
  if (ended.length === 0) return print("No faults are on.")
  const unknown = ended.find((id) => !Object.hasOwn(data, id))
  if (unknown !== undefined) {
    return yield* invalid(
      COMMAND_LINE,
      "",
      `no fault ${JSON.stringify(unknown)} is on${didYouMean(unknown, Object.keys(data))}`
    )
  }
  yield* writeMap(cluster, faultsName, Object.fromEntries(ended.map((id) => [id, null])))
  for (const id of ended) print(`${id} ends`)
})

const beginFault = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  name: string,
  values: Values,
  given: ReadonlySet<string>
) {
  const { print } = yield* Host
  const fault = yield* faultOfFlags(name, values, given, yield* knownFleet(cluster))
  const id = `${name}-${(yield* Random.nextIntBetween(0, 16 ** 6 - 1)).toString(16).padStart(6, "0")}`
  const { on = [] } = yield* startFault(cluster, id, fault)
  const requestedCount = fault.nodes?.count ?? 0
  const shortfall = requestedCount > on.length ? ` of the ${requestedCount} asked for` : ""
  const durationText = values.for === "" ? "" : ` for ${values.for}`
  const where = fault.nodes === undefined ? "" : ` on ${on.length} node${on.length === 1 ? "" : "s"}${shortfall}`
  print(`${id} begins${where}${durationText}${on.length === 0 ? "" : `: ${namesText(on)}`}`)
  print(`rollcall fault end ${id}   ends it`)
})

/** Starts, lists or ends faults in the list; the fleet follows the list. */
export const runFault = Effect.fnUntraced(function* (values: Values, { given, operands }: Parsed<Values>) {
  const [name = "", ...ids] = operands
  if (name === "") return yield* invalid(COMMAND_LINE, "", "say which fault; --help lists them")
  const isListOrEnd = name === "list" || name === "end"
  if (!isListOrEnd) yield* checkFaultName(name, values.for)
  yield* refuseMeaninglessFlags(`fault ${name}`, given, isListOrEnd ? Object.keys(selectionFlags) : [])
  if (name !== "end") yield* refuseMeaninglessFlags(`fault ${name}`, given, ["all"])
  if (name !== "end" && ids[0] !== undefined) {
    return yield* invalid(COMMAND_LINE, "", `found ${JSON.stringify(ids[0])}, fault ${name} takes flags only`)
  }
  const cluster = fromConnection(yield* remoteConnection(values, "rollcall-fault/v1"))
  if (name === "list") return yield* listFaults(cluster)
  if (name === "end") return yield* endFaults(cluster, ids, values.all)
  return yield* beginFault(cluster, name, values, given)
})
