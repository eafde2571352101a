import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { type FlagValues, flag, type Parsed } from "@rollcall/flags"
import { didYouMean, InvalidInput, invalid, type Problem } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { remoteConnection } from "../clients/remote.ts"
import { clientFlags, commonFlags } from "../flags/common.ts"
import { componentGrammar, type Program } from "../flags/Program.ts"
import { checkGroup, type FleetGroup, fleetName, membersOf } from "../fleet/FleetDocument.ts"
import { withPodBlocks } from "../fleet/FleetPart.ts"
import { Host } from "../host/Host.ts"
import { readFleet } from "./knownFleet.ts"
import { writeMap } from "./maps.ts"
import { namesText } from "./namesText.ts"
import { refuseMeaninglessFlags } from "./verbFlags.ts"

const newNodes = {
  count: flag.integer(1, "the number of nodes to add"),
  zone: flag.text("", "the zone of the new nodes: of an existing group or of a new one"),
  labels: flag.pairs("labels of the nodes of a new group"),
  capacity: flag.pairs("capacity of the nodes of a new group, such as cpu=8,memory=32Gi")
} as const

/** The command line of `rollcall nodes`. */
export const nodesProgram = {
  name: "rollcall nodes",
  about: "Add modelled nodes to a live cluster, or remove some permanently.",
  operands: {
    usage: "add|remove [NAME...]",
    help: "add, or remove with the names of the nodes to remove",
    choices: ["add", "remove"]
  },
  flags: {
    group: flag.text(
      "",
      "the group to add nodes to, or to remove as a whole; its name is the prefix of its nodes' names"
    ),
    ...newNodes,
    ...clientFlags,
    ...commonFlags
  },
  ...componentGrammar
} satisfies Program

type Values = FlagValues<typeof nodesProgram.flags>
type Groups = ReadonlyMap<string, FleetGroup>

const COMMAND_LINE = "command line"

const groupWithAddedNodes = Effect.fnUntraced(function* (values: Values, given: ReadonlySet<string>, groups: Groups) {
  const { capacity, count, labels, zone } = values
  if (count < 1) return yield* invalid(COMMAND_LINE, "--count", `found ${count}, expected 1 or more`)
  const groupOfZone = [...groups.values()].find((group) => zone !== "" && group.zone === zone)
  const name = values.group || groupOfZone?.name || zone
  if (name === "") return yield* invalid(COMMAND_LINE, "", "nodes add needs --group or --zone")
  const existingGroup = groups.get(name)
  if (existingGroup !== undefined) {
    if (zone !== "" && zone !== existingGroup.zone) {
      const where = existingGroup.zone === undefined ? "no zone" : `zone ${existingGroup.zone}`
      return yield* invalid(COMMAND_LINE, "--zone", `group ${JSON.stringify(name)} is in ${where}`)
    }
    const fixedFlag = ["labels", "capacity"].find((flagName) => given.has(flagName))
    if (fixedFlag !== undefined) {
      return yield* invalid(
        COMMAND_LINE,
        `--${fixedFlag}`,
        `group ${JSON.stringify(name)} is there already, with its own ${fixedFlag}`
      )
    }
    const larger = { ...existingGroup, count: (existingGroup.count ?? 1) + count }
    return existingGroup.spread === true ? yield* Effect.fromResult(withPodBlocks(larger, groups)) : larger
  }
  const group: FleetGroup = {
    name,
    count,
    ...(zone === "" ? {} : { zone, region: "local" }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(capacity).length === 0 ? {} : { capacity })
  }
  const checked = checkGroup(COMMAND_LINE, group)
  if (Result.isSuccess(checked)) return checked.success
  return yield* new InvalidInput({ problems: checked.failure.problems.map((problem) => withFlagName(problem, values)) })
})

/** Replaces the path of a problem by its flag: `capacity.cpu` is `--capacity`. */
const withFlagName = ({ file, message, path }: Problem, { group }: Values): Problem => {
  const [field = ""] = path.split(/[.[]/)
  return { file, path: `--${field === "name" ? (group === "" ? "zone" : "group") : field}`, message }
}

const groupsWithoutNodes = Effect.fnUntraced(function* (names: ReadonlySet<string>, groups: Groups) {
  const changed = new Map<string, FleetGroup>()
  const groupOf = new Map(
    [...groups.values()].flatMap((group) => membersOf(group).map((name) => [name, group] as const))
  )
  for (const name of names) {
    const group = groupOf.get(name)
    if (group === undefined) {
      return yield* invalid(
        COMMAND_LINE,
        "",
        `no modelled node ${JSON.stringify(name)}${didYouMean(name, groupOf.keys())}`
      )
    }
    const now = changed.get(group.name) ?? group
    changed.set(group.name, { ...now, without: [...(now.without ?? []), name] })
  }
  return changed
})

const nodeCountText = (names: ReadonlyArray<string>, what: string): string =>
  `${names.length} node${names.length === 1 ? "" : "s"} ${what}: ${namesText(names)}`

const addNodes = Effect.fnUntraced(function* (cluster: ClusterShape, values: Values, given: ReadonlySet<string>) {
  const { print } = yield* Host
  const groups = yield* readFleet(cluster)
  const group = yield* groupWithAddedNodes(values, given, groups)
  yield* writeMap(cluster, fleetName, { [group.name]: JSON.stringify(group) })
  const earlierNames = new Set([...groups.values()].flatMap((each) => membersOf(each)))
  const names = membersOf(group).filter((name) => !earlierNames.has(name))
  print(nodeCountText(names, `added to group ${group.name}${group.zone === undefined ? "" : ` in ${group.zone}`}`))
})

const removeNodes = Effect.fnUntraced(function* (cluster: ClusterShape, group: string, names: ReadonlySet<string>) {
  const { print } = yield* Host
  const groups = yield* readFleet(cluster)
  if (group === "") {
    const changed = yield* groupsWithoutNodes(names, groups)
    const data = [...changed].map(([name, now]) => [name, JSON.stringify(now)] as const)
    yield* writeMap(cluster, fleetName, Object.fromEntries(data))
    return print(nodeCountText([...names], "removed"))
  }
  const wholeGroup = groups.get(group)
  if (wholeGroup === undefined) {
    return yield* invalid(
      COMMAND_LINE,
      "--group",
      `no group ${JSON.stringify(group)}${didYouMean(group, groups.keys())}`
    )
  }
  yield* writeMap(cluster, fleetName, { [group]: null })
  print(nodeCountText(membersOf(wholeGroup), `removed with group ${group}`))
})

/** Changes the groups in the fleet's ConfigMap; the fleet follows it. */
export const runNodes = Effect.fnUntraced(function* (values: Values, { given, operands }: Parsed<Values>) {
  const [verb = "", ...names] = operands
  if (verb !== "add" && verb !== "remove") {
    const near = didYouMean(verb, ["add", "remove"])
    return yield* invalid(COMMAND_LINE, "", `found ${JSON.stringify(verb)}, expected add or remove${near}`)
  }
  yield* refuseMeaninglessFlags(`nodes ${verb}`, given, verb === "add" ? [] : Object.keys(newNodes))
  if (verb === "add" && names[0] !== undefined) {
    const message = `found ${JSON.stringify(names[0])}, nodes add takes flags only: the group's name begins its nodes' names`
    return yield* invalid(COMMAND_LINE, "", message)
  }
  if (verb === "remove" && names.length > 0 === (values.group !== "")) {
    const message =
      names.length > 0 ? "nodes remove takes names or --group, not both" : "nodes remove needs names, or --group"
    return yield* invalid(COMMAND_LINE, "", message)
  }
  const cluster = fromConnection(yield* remoteConnection(values, "rollcall-nodes/v1"))
  if (verb === "add") return yield* addNodes(cluster, values, given)
  return yield* removeNodes(cluster, values.group, new Set(names))
})
