import { loadScenarioText, type Plan, rehearse, type ScenarioResult, type SimulateOptions } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type RandomScenario, randomScenario } from "./randomScenario.ts"
import { storyDifference, storyOf } from "./stories.ts"

/** The law that a seed broke, with the smallest scenario found that breaks it. */
export interface BrokenLaw {
  readonly seed: number
  readonly problem: string
  readonly scenario: RandomScenario
}

const textOf = (scenario: RandomScenario): string => `${JSON.stringify(scenario, null, 2)}\n`

const planOf = (scenario: RandomScenario): Plan => {
  const [plan] = Effect.runSync(loadScenarioText(textOf(scenario), { name: "whatever.json" }))
  if (plan === undefined) throw new Error("no scenario")
  return plan
}

const rehearseScenario = (scenario: RandomScenario, options?: SimulateOptions): ScenarioResult =>
  Effect.runSync(rehearse(planOf(scenario), options))

/** Returns the first invariant that a rehearsal violated, or undefined if it violated none. */
const firstViolation = ({ bugs }: ScenarioResult): string | undefined => {
  const [bug] = bugs ?? []
  return bug === undefined ? undefined : `at ${bug.at} s, ${bug.invariant}: ${bug.message}`
}

/** Some runs trace every Lease renewal, so that a recorder reads each of them. */
const TRACED_SEEDS = 8
/** Some scenarios also run with more nodes, so that the API server's histories lose revisions. */
const LARGE_SEEDS = 4
const LARGE_FACTOR = 8

const tracesLeases = ({ spec }: RandomScenario): boolean => spec.seed % TRACED_SEEDS === 0

const storiesOf = (scenario: RandomScenario) => {
  const traceLeases = tracesLeases(scenario)
  const columns = storyOf(planOf(scenario), { everyHeartbeat: false, traceLeases })
  const eager = storyOf(planOf(scenario), { everyHeartbeat: true, traceLeases })
  return { columns, difference: storyDifference(columns, eager) }
}

/** Returns the first problem of the two stories: a violated invariant, or where they differ. */
const problemIn = ({ columns, difference }: ReturnType<typeof storiesOf>): string | undefined =>
  firstViolation(columns.result) ?? difference

/**
 * Rehearses a scenario with columns and with every heartbeat. Returns its problem, a violated invariant or a difference between the
 * two stories, or undefined if it has none.
 */
export const storyProblemOf = (scenario: RandomScenario): string | undefined => problemIn(storiesOf(scenario))

const enlarged = ({ spec, ...rest }: RandomScenario): RandomScenario => {
  const nodes = spec.cluster.nodes.map((group) => ({ ...group, count: (group.count ?? 1) * LARGE_FACTOR }))
  return { ...rest, spec: { ...spec, cluster: { ...spec.cluster, nodes } } }
}

/** Checks that two runs of a scenario are the same, and what `storyProblemOf` checks. */
export const problemOf = (scenario: RandomScenario): string | undefined => {
  const { summary } = rehearseScenario(scenario, { traceLeases: tracesLeases(scenario) })
  const stories = storiesOf(scenario)
  const again = stories.columns.result.summary
  if (again.traceDigest !== summary.traceDigest) return "two runs have different traces"
  if (again.events !== summary.events) return "two runs take different numbers of steps"
  const found = problemIn(stories)
  return found === undefined && scenario.spec.seed % LARGE_SEEDS === 0
    ? storiesOf(enlarged(scenario)).difference
    : found
}

/** Each fourth seed is biased towards extreme values. */
const EXTREME_EVERY = 4
/** The longest search for a smaller scenario, in milliseconds. */
const SHRINKING_MS = 60_000

/**
 * Rehearses the random scenario of a seed. Returns the broken law with the smallest scenario found that breaks it, or undefined if
 * `problem` returns undefined for the scenario.
 */
export const checkSeed = (seed: number, problem: (scenario: RandomScenario) => string | undefined = problemOf) => {
  const law = fc.property(randomScenario, (scenario) => {
    const found = problem(scenario)
    if (found !== undefined) throw new Error(found)
  })
  // fast-check biases the first runs of a property towards extreme values. Here each seed is one run, so some seeds are biased instead.
  const details = fc.check(law, {
    seed,
    numRuns: 1,
    unbiased: seed % EXTREME_EVERY !== 0,
    interruptAfterTimeLimit: SHRINKING_MS
  })
  if (!details.failed || details.counterexample === null) return undefined
  const [scenario] = details.counterexample
  const error = details.errorInstance
  const broken: BrokenLaw = { seed, problem: error instanceof Error ? error.message : String(error), scenario }
  return broken
}

/** Returns the command that reproduces a broken law. */
export const repeatCommand = ({ seed }: BrokenLaw): string => `pnpm laws --from ${seed} --seeds 1`

/** Returns the scenario as a file for `rollcall simulate`. */
export const scenarioFile = ({ problem, scenario, seed }: BrokenLaw): string =>
  textOf({ ...scenario, metadata: { name: `law-${seed}` }, notes: problem } as RandomScenario)
