import { type ConfigMap, parseTime } from "@rollcall/api"
import { checkStrictly, InvalidInput, invalid, problemAt } from "@rollcall/input"
import { groupProblem, NodeGroup, POD_BLOCKS, podRangeOf } from "@rollcall/machines"
import { EventSpec, eventProblems, type KnownNodes } from "@rollcall/simulator/scenario"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Two ConfigMaps in kube-system hold the groups and the faults of a live fleet: a user who may write them can change
 * the fleet, with `rollcall nodes` and `rollcall fault` or with kubectl, and a restarted fleet restores its state from
 * them.
 */
export const fleetNamespace = "kube-system"
/** The ConfigMap with one NodeGroup as JSON for each group. */
export const fleetName = "rollcall-fleet"
/** The ConfigMap with one fault as JSON for each ID. */
export const faultsName = "rollcall-faults"

const isTime = Schema.makeFilter((text: string) => Number.isFinite(parseTime(text)), {
  expected: "a time such as 2026-01-02T15:04:05Z"
})

const block = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: POD_BLOCKS }))

/** A group like in a scenario, with the members that were removed. */
export const FleetGroup = Schema.Struct({
  ...NodeGroup.fields,
  /** Names of members that were removed. */
  without: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether processes of `rollcall kubelet --fleet` run the members, each a part of them. All others leave them alone. */
  spread: Schema.optionalKey(Schema.Boolean),
  /**
   * The pod ranges of the members of a spread group in their order: each entry is a first block and a number of blocks.
   * They are written down, because no process knows which ranges the machines of another one have.
   */
  podBlocks: Schema.optionalKey(Schema.Array(Schema.Tuple([block, block])))
})
export interface FleetGroup extends Schema.Schema.Type<typeof FleetGroup> {}

/**
 * A fault like an event of a scenario, with what the fleet records when it starts: its clock may be ahead of the
 * writer's, and a restarted fleet applies the fault to the same nodes.
 */
export const FleetFault = Schema.Struct({
  ...EventSpec.fields,
  fault: EventSpec.fields.fault.schema,
  /** When it began, by the cluster's clock, as RFC 3339; absent if it has not begun. */
  at: Schema.optionalKey(Schema.String.check(isTime)),
  /** The names of the affected nodes; absent if it has not begun. */
  on: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Why the fleet refused it; absent if it did not. */
  refused: Schema.optionalKey(Schema.String)
})
export interface FleetFault extends Schema.Schema.Type<typeof FleetFault> {}

type CheckResult<A> = Result.Result<A, InvalidInput>

const checkGroupFields = checkStrictly(FleetGroup)
const checkFaultFields = checkStrictly(FleetFault)

const joinPaths = (base: string, path: string): string => (base === "" || path === "" ? base + path : `${base}.${path}`)

/** Checks a group. `base` is its path in the file. */
export const checkGroup = (file: string, input: unknown, base = ""): CheckResult<FleetGroup> =>
  Result.flatMap(checkGroupFields(file, input, base), (group) => {
    const problem = groupProblem(group)
    return problem === undefined
      ? Result.succeed(group)
      : Result.fail(invalid(file, joinPaths(base, problem[0]), problem[1]))
  })

/**
 * Checks a fault. If `known` is given, also checks that its nodes, zones and groups exist. `base` is its path in the
 * file.
 */
export const checkFault = (file: string, input: unknown, base = "", known?: KnownNodes): CheckResult<FleetFault> =>
  Result.flatMap(checkFaultFields(file, input, base), (fault) => {
    const { at: _, on: _on, refused: _refused, ...spec } = fault
    const problems = eventProblems(spec, known)
    return problems.length === 0
      ? Result.succeed(fault)
      : Result.fail(
          new InvalidInput({
            problems: problems.map(([path, wrong]) => problemAt(file, joinPaths(base, path), wrong))
          })
        )
  })

export interface Entries<A> {
  readonly entries: ReadonlyMap<string, A>
  /** The problems of invalid entries, which are left out. */
  readonly problems: ReadonlyArray<string>
}

const readEntries =
  <A>(check: (file: string, input: unknown, base: string) => CheckResult<A>) =>
  (map: ConfigMap | undefined): Entries<A> => {
    const entries = new Map<string, A>()
    const problems: Array<string> = []
    for (const [key, text] of Object.entries(map?.data ?? {})) {
      const file = `configmap/${map?.metadata.name ?? ""}`
      try {
        const checked = check(file, JSON.parse(text), `data.${key}`)
        if (Result.isSuccess(checked)) entries.set(key, checked.success)
        else problems.push(checked.failure.message)
      } catch (cause) {
        problems.push(`${file}: data.${key}: not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
      }
    }
    return { entries, problems }
  }

export const readGroups = readEntries(checkGroup)
export const readFaults = readEntries(checkFault)

/** Consecutive members of a group. */
export interface MemberRange {
  readonly offset: number
  /** Undefined for all from the offset on, those included that are added later. */
  readonly count: number | undefined
}

const ALL: MemberRange = { offset: 0, count: undefined }

/** Returns the names of a group's members, or of a range of them. */
export const membersOf = (
  { count: size = 1, name, without = [] }: FleetGroup,
  { count = size, offset }: MemberRange = ALL
): ReadonlyArray<string> => {
  const removed = new Set(without)
  const length = Math.max(0, Math.min(size - offset, count))
  return Array.from({ length }, (_, index) => `${name}-${offset + index}`).filter((member) => !removed.has(member))
}

/** Returns the pod range of a member of a spread group; undefined if none is written down for it. */
export const podRangeOfMember = ({ name, podBlocks = [] }: FleetGroup, member: string): string | undefined => {
  let index = Number(member.slice(name.length + 1))
  for (const [first, count] of podBlocks) {
    if (index < count) return podRangeOf(first + index)
    index -= count
  }
  return undefined
}

export interface FleetShape {
  readonly nodes: number
  readonly zones: number
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

/** Returns the name of a zone by its index: `a`, `b`, …, `z`, `aa`, `ab`, … */
export const letterOf = (index: number): string =>
  index < LETTERS.length
    ? (LETTERS[index] ?? "")
    : letterOf(Math.floor(index / LETTERS.length) - 1) + letterOf(index % LETTERS.length)

/** Returns groups for nodes that are spread evenly over zones: `a-0`, `a-1`, … in zone-a, and so on. */
export const groupsOf = ({ nodes, zones }: FleetShape): ReadonlyArray<FleetGroup> =>
  Array.from({ length: Math.min(nodes, zones) }, (_, index) => {
    const letter = letterOf(index)
    const count = Math.floor(nodes / zones) + (index < nodes % zones ? 1 : 0)
    return { name: letter, count, zone: `zone-${letter}`, region: "local" }
  })
