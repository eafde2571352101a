import {
  loadScenarios,
  type Plan,
  renderJson,
  renderTable,
  renderYaml,
  type ScenarioResult,
  type Simulation,
  simulate
} from "@rollcall/simulator"
import * as Clock from "effect/Clock"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ExpectationsFailed } from "../ExpectationsFailed.ts"
import { type Output, openOutput } from "../output.ts"
import { makeProgress } from "../progress.ts"

const formats = ["table", "json", "yaml", "ndjson"] as const

const config = {
  files: Argument.String("FILE").pipe(
    Argument.withDescription("scenario files, and files of Kubernetes objects that belong to them"),
    Argument.atLeast(1)
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("the seed of all chance (default: the scenario's)"), Flag.optional),
  until: Flag.String("until").pipe(
    Flag.withDescription("stop at this virtual time (default: the scenario's duration)"),
    Flag.optional
  ),
  set: Flag.String("set").pipe(
    Flag.withDescription("change the scenario: spec.path=value, repeatable"),
    Flag.atLeast(0)
  ),
  output: Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("table for a person, json or yaml for the whole result, ndjson for the trace as it happens"),
    Flag.withDefault("table" as const)
  ),
  out: Flag.String("out").pipe(Flag.withDescription("write the result to this file"), Flag.optional),
  quiet: Flag.Boolean("quiet").pipe(Flag.withDescription("no progress on stderr"), Flag.withDefault(false)),
  trace: Flag.Literals("trace", ["leases"]).pipe(
    Flag.withDescription("leases: put every heartbeat in the trace"),
    Flag.optional
  )
}

/** Wall time between two looks at the progress. */
const SLICE_MS = 100

/** Runs a simulation to its end, in slices of wall time, so that progress and trace come out as they happen. */
const runToEnd = Effect.fnUntraced(function* (simulation: Simulation, betweenSlices: Effect.Effect<void>) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  while (!simulation.isOver()) {
    const until = now() + SLICE_MS
    simulation.runWhile(() => now() < until)
    yield* betweenSlices
    yield* Effect.yieldNow
  }
})

const render = (format: (typeof formats)[number], result: ScenarioResult, simulation: Simulation): string => {
  switch (format) {
    case "table":
      return renderTable(result, simulation.reportContext)
    case "json":
      return renderJson(result)
    case "yaml":
      return renderYaml(result)
    case "ndjson":
      return ""
  }
}

const runPlan = Effect.fnUntraced(function* (
  plan: Plan,
  output: Output,
  options: { readonly format: (typeof formats)[number]; readonly quiet: boolean; readonly leases: boolean }
) {
  const progress = yield* makeProgress(plan, options.quiet)
  const clock = yield* Clock.Clock
  const started = clock.monotonicTimeNanosUnsafe()
  let lines: Array<string> = []
  const simulation = yield* simulate(plan, {
    traceLeases: options.leases,
    ...(options.format === "ndjson" ? { onEntry: (entry) => lines.push(`${JSON.stringify(entry)}\n`) } : {})
  })
  yield* runToEnd(
    simulation,
    Effect.suspend(() => {
      const text = lines.join("")
      lines = []
      return Effect.andThen(text === "" ? Effect.void : output.write(text), progress.show(simulation))
    })
  )
  const wallSeconds = Number((clock.monotonicTimeNanosUnsafe() - started) / 1_000_000n) / 1000
  yield* progress.done
  const result = simulation.result(wallSeconds)
  const text = render(options.format, result, simulation)
  if (text !== "") yield* output.write(text)
  return result
})

export const simulateCommand = Command.make(
  "simulate",
  config,
  Effect.fnUntraced(function* ({ files, out, output: format, quiet, seed, set, trace, until }) {
    const plans = yield* loadScenarios(files, {
      set,
      seed: Option.getOrUndefined(seed),
      until: Option.getOrUndefined(until)
    })
    const output = yield* openOutput(Option.getOrUndefined(out))
    let failed = 0
    for (const plan of plans) {
      for (const warning of plan.warnings) yield* Effect.logWarning(warning)
      const result = yield* runPlan(plan, output, { format, quiet, leases: Option.isSome(trace) })
      failed += result.expectations.filter(({ held }) => !held).length
    }
    if (failed > 0) return yield* new ExpectationsFailed({ failed })
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Rehearse scenarios in virtual time. Exit: 0 every expectation held, 1 one failed, 2 wrong input, 70 a bug."
  )
)
