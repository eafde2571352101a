import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type Case, isHttpOnly } from "./Case.ts"
import { ownServer } from "./ownServer.ts"
import { runCase } from "./runCase.ts"
import { openWorkshop, type Workshop } from "./Workshop.ts"

/** The result of a case. */
export interface Verdict {
  readonly name: string
  /** The differences from the recorded session; empty if the case passed. */
  readonly problems: ReadonlyArray<string>
}

/**
 * Starts several servers that each run one case at a time, so that cases that create or list nodes do not affect each other.
 * On two cores three servers finish in half the time of one, as cases mostly wait.
 */
export const ownWorkshops = (count: number, kubectl: string | undefined, controlled = false) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.flatMap(ownServer(controlled), (target) => openWorkshop(target, kubectl))
  )

/**
 * Runs cases, as many at once as there are workshops, and calls `report` with the verdicts in the order of the cases. A case that fails is
 * run again, up to `attempts` times, because some wait one second for kubectl, which is short on a busy machine.
 */
export const runCases = <E, R>(
  workshops: ReadonlyArray<Workshop>,
  cases: ReadonlyArray<Case>,
  report: (verdict: Verdict) => Effect.Effect<void, E, R>,
  attempts = 1
) =>
  Effect.gen(function* () {
    const free = yield* Queue.unbounded<Workshop>()
    yield* Queue.offerAll(free, workshops)
    const verdicts: Array<Verdict> = []
    let reported = 0
    yield* Effect.forEach(
      cases.entries(),
      ([index, one]) =>
        Effect.gen(function* () {
          const workshop = yield* Queue.take(free)
          let problems = yield* runCase(workshop, one)
          for (let again = 1; again < attempts && problems.length > 0; again++) problems = yield* runCase(workshop, one)
          yield* Queue.offer(free, workshop)
          verdicts[index] = { name: one.name, problems }
          for (let next = verdicts[reported]; next !== undefined; next = verdicts[reported]) {
            reported++
            yield* report(next)
          }
        }),
      { concurrency: workshops.length, discard: true }
    )
    return verdicts
  })

/** Returns the runnable cases: all with a kubectl of the recorded version, else those with HTTP requests only. */
export const runnable = (cases: ReadonlyArray<Case>, hasKubectl: boolean): ReadonlyArray<Case> =>
  hasKubectl ? cases : cases.filter(isHttpOnly)
