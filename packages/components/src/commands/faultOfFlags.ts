import { parseDuration } from "@rollcall/api"
import { didYouMean, InvalidInput, invalid, type Problem, show, wrongChoice } from "@rollcall/input"
import { faults, selectNodes } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { checkFault, type FleetFault } from "../fleet/FleetDocument.ts"
import type { KnownFleet } from "./knownFleet.ts"

/** The flags that describe a fault. */
export interface FaultFlags {
  readonly node: ReadonlyArray<string>
  readonly zone: string
  readonly group: string
  readonly selector: string
  readonly count: number
  readonly fraction: number
  readonly for: string
  readonly by: string
  readonly rate: number
  readonly available: string
  readonly component: string
  readonly process: string
}

const COMMAND_LINE = "command line"
const SELECTION = "--node, --zone, --group, --selector, --count or --fraction"

/** Returns the flag for the path of a field in an event; empty for the event itself. */
const flagOf = (path: string): string => {
  if (path === "") return ""
  const field = path.replace(/^nodes\./, "").replace(/\[.*$/, "")
  return field === "names" ? "--node" : `--${field}`
}

const withFlagName = ({ path, ...problem }: Problem): Problem =>
  path === "nodes"
    ? {
        file: COMMAND_LINE,
        path: "",
        message: problem.message.replace(/^is required for (.*)$/, `$1 needs ${SELECTION}`)
      }
    : { ...problem, file: COMMAND_LINE, path: flagOf(path) }

/** Returns the flags as an event of a scenario; flags that were not given are left out. */
const eventOfFlags = (fault: string, flags: FaultFlags, given: ReadonlySet<string>): object => {
  const { available, by, component, count, fraction, group, node, process, rate, selector, zone } = flags
  const select = Object.entries({ names: node, zone, group, selector, count, fraction }).filter(([field]) =>
    given.has(field === "names" ? "node" : field)
  )
  const rest = { for: flags.for, by, rate, available, component, process }
  const fields = Object.entries(rest).filter(([field]) => given.has(field))
  return {
    fault,
    ...(select.length === 0 ? {} : { nodes: Object.fromEntries(select) }),
    ...Object.fromEntries(fields)
  }
}

/** Returns a problem for a fault without effect (delay or rate 0), which events of a scenario may have. */
const noEffectProblem = ({ by, fault, rate }: FleetFault): Problem | undefined => {
  if (fault === "loss" && rate === 0) {
    return { file: COMMAND_LINE, path: "--rate", message: "found 0, expected a number above 0 and up to 1" }
  }
  return by !== undefined && parseDuration(by) === 0
    ? { file: COMMAND_LINE, path: "--by", message: `found ${show(by)}, expected a duration other than 0` }
    : undefined
}

/** Returns a problem if the fault names a node that is not modelled, or selects no node. */
const selectionProblem = (fault: FleetFault, { candidates, known, others }: KnownFleet): Problem | undefined => {
  const { nodes } = fault
  const real = nodes?.names?.find((name) => !known.names.has(name) && others.has(name))
  if (real !== undefined) {
    const message = `${show(real)} is no modelled node: faults happen to the nodes of the fleet only`
    return { file: COMMAND_LINE, path: "--node", message }
  }
  if (nodes === undefined || selectNodes(nodes, candidates, () => 0).length > 0) return undefined
  const { selector } = nodes
  const labels = candidates.flatMap(({ node }) =>
    Object.entries(node?.metadata.labels ?? {}).map((pair) => pair.join("="))
  )
  const suggestion = typeof selector === "string" ? didYouMean(selector, new Set(labels)) : ""
  const [only, ...more] = Object.keys(nodes)
  const path = more.length === 0 && only !== undefined ? flagOf(`nodes.${only}`) : ""
  return { file: COMMAND_LINE, path, message: `selects none of the ${candidates.length} modelled nodes${suggestion}` }
}

/** Returns the fault of a command line; fails with the invalid flag and the nearest existing name. */
export const faultOfFlags = Effect.fnUntraced(function* (
  name: string,
  flags: FaultFlags,
  given: ReadonlySet<string>,
  fleet: KnownFleet
) {
  const event = eventOfFlags(name, flags, given)
  // Names of real nodes have their own message.
  const checked = checkFault(COMMAND_LINE, event, "", {
    ...fleet.known,
    names: new Set([...fleet.known.names, ...fleet.others])
  })
  if (Result.isFailure(checked)) {
    return yield* new InvalidInput({ problems: checked.failure.problems.map(withFlagName) })
  }
  const fault = checked.success
  const problem = noEffectProblem(fault) ?? selectionProblem(fault, fleet)
  if (problem !== undefined) return yield* new InvalidInput({ problems: [problem] })
  return fault
})

/** Checks the name and the duration of a fault, which needs no cluster. */
export const checkFaultName = Effect.fnUntraced(function* (name: string, lasts: string) {
  const verbs = [...faults, "list", "end"]
  if (!faults.some((known) => known === name)) return yield* invalid(COMMAND_LINE, "FAULT", wrongChoice(name, verbs))
  if (lasts !== "" && !(parseDuration(lasts) > 0)) {
    return yield* invalid(COMMAND_LINE, "--for", `found ${show(lasts)}, expected a duration such as 90s`)
  }
})
