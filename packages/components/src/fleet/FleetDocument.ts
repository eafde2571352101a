import type { ConfigMap } from "@rollcall/api"
import type { InvalidInput } from "@rollcall/simulator/input"
import { checkStrictly, EventSpec, NodeGroup } from "@rollcall/simulator/world"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * What a live fleet shall be, and what befalls it, stands in two ConfigMaps of kube-system: whoever may write them changes the
 * fleet, with `rollcall nodes` and `rollcall fault` or with kubectl, and a fleet that starts again finds what it was.
 */
export const fleetNamespace = "kube-system"
/** By group: a NodeGroup as JSON. */
export const fleetName = "rollcall-fleet"
/** By id: a fault as JSON. */
export const faultsName = "rollcall-faults"

/** A group as a scenario has it, without the members that were taken away. */
export const FleetGroup = Schema.Struct({
  ...NodeGroup.fields,
  /** Names of members that are no more. */
  without: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface FleetGroup extends Schema.Schema.Type<typeof FleetGroup> {}

/** A fault as an event of a scenario has it; `at` is when it began, as a time of the wire. */
export const FleetFault = Schema.Struct({
  ...EventSpec.fields,
  at: Schema.String,
  fault: EventSpec.fields.fault.schema
})
export interface FleetFault extends Schema.Schema.Type<typeof FleetFault> {}

const checkGroup = checkStrictly(FleetGroup)
const checkFault = checkStrictly(FleetFault)

export interface Entries<A> {
  readonly entries: ReadonlyMap<string, A>
  /** What is not as it should be, and left out. */
  readonly problems: ReadonlyArray<string>
}

const read =
  <A>(check: (file: string, input: unknown, base: string) => Result.Result<A, InvalidInput>) =>
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

export const readGroups = read(checkGroup)
export const readFaults = read(checkFault)

/** The names of a group's members. */
export const membersOf = ({ count = 1, name, without = [] }: FleetGroup): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`).filter((member) => !without.includes(member))

export interface FleetShape {
  readonly nodes: number
  readonly zones: number
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

/** `a`, `b`, …, `z`, `aa`, `ab`, … */
export const letterOf = (index: number): string =>
  index < LETTERS.length
    ? (LETTERS[index] ?? "")
    : letterOf(Math.floor(index / LETTERS.length) - 1) + letterOf(index % LETTERS.length)

/** So many nodes, spread evenly over so many zones: `a-0`, `a-1`, … in zone-a, and so on. */
export const groupsOf = ({ nodes, zones }: FleetShape): ReadonlyArray<FleetGroup> =>
  Array.from({ length: Math.min(nodes, zones) }, (_, index) => {
    const letter = letterOf(index)
    const count = Math.floor(nodes / zones) + (index < nodes % zones ? 1 : 0)
    return { name: letter, count, zone: `zone-${letter}`, region: "local" }
  })
