import { fromConnection } from "@rollcall/cluster"
import { didYouMean, invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { remoteConnection } from "../clients/remote.ts"
import { clientFlags, commonFlags } from "../flags/common.ts"
import { type Flags, type FlagValues, flag } from "../flags/Flag.ts"
import type { Parsed, Program } from "../flags/parseFlags.ts"
import { type FleetGroup, fleetName, membersOf, readGroups } from "../fleet/FleetDocument.ts"
import { Host } from "../host/Host.ts"
import { readMap, writeMap } from "./maps.ts"

/** The command line of `rollcall nodes`. */
export const nodesProgram = {
  name: "rollcall nodes",
  about: "Adds modelled nodes to a live cluster, or takes some away for good.",
  operands: "add|remove [NAME…]",
  flags: {
    count: flag.integer(1, "add so many"),
    group: flag.text("", "the group to add them to, or to take away as a whole; its name begins its nodes' names"),
    zone: flag.text("", "the zone of a new group"),
    labels: flag.pairs("labels of a new group's nodes"),
    capacity: flag.pairs("capacity of a new group's nodes: cpu=8,memory=32Gi"),
    ...clientFlags,
    ...commonFlags
  }
} satisfies Program<Flags>

type Values = FlagValues<typeof nodesProgram.flags>
type Groups = ReadonlyMap<string, FleetGroup>

const added = (values: Values, groups: Groups) =>
  Effect.gen(function* () {
    const { capacity, count, labels, zone } = values
    if (count < 1) return yield* invalid("command line", "--count", `found ${count}, expected 1 or more`)
    const ofZone = [...groups.values()].find((group) => zone !== "" && group.zone === zone)
    const name = values.group || ofZone?.name || zone
    if (name === "") return yield* invalid("command line", "", "nodes add needs --group or --zone")
    const before = groups.get(name)
    if (before !== undefined && (zone || before.zone || "") !== (before.zone ?? "")) {
      return yield* invalid("command line", "--zone", `group ${JSON.stringify(name)} is in zone ${before.zone}`)
    }
    if (before !== undefined) return { ...before, count: (before.count ?? 1) + count }
    const group: FleetGroup = {
      name,
      count,
      ...(zone === "" ? {} : { zone, region: "local" }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(capacity).length === 0 ? {} : { capacity })
    }
    return group
  })

const removed = (names: ReadonlyArray<string>, groups: Groups) =>
  Effect.gen(function* () {
    const changed = new Map<string, FleetGroup>()
    const known = [...groups.values()].flatMap(membersOf)
    for (const name of names) {
      const group = [...groups.values()].find((candidate) => membersOf(candidate).includes(name))
      if (group === undefined) {
        return yield* invalid("command line", "", `no modelled node ${JSON.stringify(name)}${didYouMean(name, known)}`)
      }
      const now = changed.get(group.name) ?? group
      changed.set(group.name, { ...now, without: [...(now.without ?? []), name] })
    }
    return changed
  })

/** Says what the fleet shall be; the fleet sees to the rest. */
export const runNodes = Effect.fnUntraced(function* (values: Values, { operands }: Parsed<Values>) {
  const { print } = yield* Host
  const [verb = "", ...names] = operands
  if (verb !== "add" && verb !== "remove") {
    return yield* invalid("command line", "", `found ${JSON.stringify(verb)}, expected add or remove`)
  }
  const cluster = fromConnection(yield* remoteConnection(values, "rollcall-nodes/v1"))
  const map = yield* readMap(cluster, fleetName)
  if (map === undefined) {
    return yield* invalid(
      "command line",
      "",
      "this cluster has no fleet of modelled nodes: no ConfigMap kube-system/rollcall-fleet"
    )
  }
  const { entries } = readGroups(map)
  if (verb === "add") {
    const group = yield* added(values, entries)
    yield* writeMap(cluster, fleetName, { [group.name]: JSON.stringify(group) })
    const before = new Set([...entries.values()].flatMap(membersOf))
    for (const name of membersOf(group)) if (!before.has(name)) print(`node/${name} added`)
    return
  }
  if (names.length === 0 && values.group !== "") {
    const group = entries.get(values.group)
    if (group === undefined) {
      const near = didYouMean(values.group, entries.keys())
      return yield* invalid("command line", "--group", `no group ${JSON.stringify(values.group)}${near}`)
    }
    yield* writeMap(cluster, fleetName, { [group.name]: null })
    for (const name of membersOf(group)) print(`node/${name} removed`)
    return
  }
  if (names.length === 0) return yield* invalid("command line", "", "nodes remove needs names, or --group")
  const changed = yield* removed(names, entries)
  const data = [...changed].map(([name, group]) => [name, JSON.stringify(group)] as const)
  yield* writeMap(cluster, fleetName, Object.fromEntries(data))
  for (const name of names) print(`node/${name} removed`)
})
