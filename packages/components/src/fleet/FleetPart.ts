import type { ConfigMap } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists, isConflict } from "@rollcall/cluster"
import { InvalidInput, invalid, type Problem, show } from "@rollcall/input"
import { POD_BLOCKS } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readMap } from "../commands/maps.ts"
import {
  checkGroup,
  type FleetGroup,
  fleetName,
  fleetNamespace,
  type MemberRange,
  readGroups
} from "./FleetDocument.ts"

/** The part of a fleet that one process runs: a range of the members of one group. */
export interface FleetPart extends MemberRange {
  /** The name of the group. */
  readonly fleet: string
  /** The zone of its nodes; empty for the group's, or for one that is named for it. */
  readonly zone: string
}

const COMMAND_LINE = "command line"
const MOST_TRIES = 20

type Groups = ReadonlyMap<string, FleetGroup>

const flagOfField: Readonly<Record<string, string>> = { name: "--fleet", zone: "--zone", count: "--count" }

const newGroup = ({ count, fleet, offset, zone }: FleetPart): Result.Result<FleetGroup, InvalidInput> => {
  if (count === undefined) {
    return Result.fail(invalid(COMMAND_LINE, "--count", `is required: the cluster has no fleet ${show(fleet)} yet`))
  }
  const group: FleetGroup = {
    name: fleet,
    count: offset + count,
    zone: zone === "" ? `zone-${fleet}` : zone,
    region: "local",
    spread: true
  }
  const withFlag = ({ message, path }: Problem): Problem => ({
    file: COMMAND_LINE,
    path: flagOfField[path] ?? path,
    message
  })
  return Result.mapError(
    checkGroup(COMMAND_LINE, group),
    ({ problems }) => new InvalidInput({ problems: problems.map(withFlag) })
  )
}

/** Returns the existing group of a part, if it fits. */
const fittingGroup = (group: FleetGroup, { fleet, zone }: FleetPart): Result.Result<FleetGroup, InvalidInput> => {
  if (group.spread !== true) {
    const message = `${show(fleet)} is a group of the fleet of rollcall up, or of rollcall kubelet --nodes: choose another name`
    return Result.fail(invalid(COMMAND_LINE, "--fleet", message))
  }
  if (zone === "" || zone === group.zone) return Result.succeed(group)
  const where = group.zone === undefined ? "no zone" : `zone ${group.zone}`
  return Result.fail(invalid(COMMAND_LINE, "--zone", `fleet ${show(fleet)} is in ${where}`))
}

/** Gives each member of a group a pod range that no other spread group has. */
export const withPodBlocks = (group: FleetGroup, groups: Groups): Result.Result<FleetGroup, InvalidInput> => {
  const { count = 1, podBlocks = [] } = group
  const missing = count - podBlocks.reduce((sum, [, blocks]) => sum + blocks, 0)
  if (missing <= 0) return Result.succeed(group)
  const extents = [...groups.values()].flatMap((each) => each.podBlocks ?? [])
  const first = extents.reduce((end, [start, blocks]) => Math.max(end, start + blocks), 0)
  if (first + missing > POD_BLOCKS) {
    const message = `found ${count} nodes, and the fleets of a cluster have ${POD_BLOCKS} pod ranges in all`
    return Result.fail(invalid(COMMAND_LINE, "--count", message))
  }
  return Result.succeed({ ...group, podBlocks: [...podBlocks, [first, missing] as const] })
}

/** Returns the group that a part belongs to, as large as the part needs it. Fails if the part does not fit. */
export const groupWithPart = (groups: Groups, part: FleetPart): Result.Result<FleetGroup, InvalidInput> => {
  const existing = groups.get(part.fleet)
  return Result.flatMap(existing === undefined ? newGroup(part) : fittingGroup(existing, part), (group) => {
    const { count: size = 1 } = group
    const count = Math.max(size, part.offset + (part.count ?? 0))
    return withPodBlocks(count === size ? group : { ...group, count }, groups)
  })
}

/** Fails if a part does not fit its fleet, and writes nothing. */
export const checkPart = Effect.fnUntraced(function* (cluster: ClusterShape, part: FleetPart) {
  const { entries } = readGroups(yield* readMap(cluster, fleetName))
  yield* Effect.fromResult(groupWithPart(entries, part))
})

/** Enters the group of a part in the list of groups, or lets it grow; other processes may do so at the same time. */
export const joinFleet = (cluster: ClusterShape, part: FleetPart): Effect.Effect<void, ClusterError | InvalidInput> =>
  Effect.gen(function* () {
    const map = yield* readMap(cluster, fleetName)
    const { entries } = readGroups(map)
    const group = yield* Effect.fromResult(groupWithPart(entries, part))
    if (group === entries.get(part.fleet)) return
    const data = { ...map?.data, [part.fleet]: JSON.stringify(group) }
    const created: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: fleetName, namespace: fleetNamespace },
      data
    }
    yield* map === undefined ? cluster.create("ConfigMap", created) : cluster.update("ConfigMap", { ...map, data })
  }).pipe(
    Effect.retry({
      times: MOST_TRIES,
      while: (error) => error._tag !== "InvalidInput" && (isConflict(error) || isAlreadyExists(error))
    })
  )
