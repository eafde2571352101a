import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadScenarios, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { assertThat } from "../kill/Ledger.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { compareOutages, eventsOf, type OutageComparison, type OutageEvent } from "./compare.ts"
import { recordLive } from "./recordLive.ts"
import { type OutageShape, zoneOutage } from "./scenario.ts"

/** Rehearses a scenario file. Returns the events from the fault on. */
export const rehearsedEvents = Effect.fnUntraced(function* (file: string) {
  const [plan] = yield* loadScenarios([file])
  if (plan === undefined) return yield* Effect.die(new Error(`${file} has no scenario`))
  const { trace } = yield* rehearse(plan)
  const faultAt = trace.find(({ type }) => type === "FaultStarted")?.at ?? 0
  return eventsOf(trace, faultAt)
})

/** Runs a scenario file live with three processes: API server, controller manager and a fleet of kubelets; the last two use a kubeconfig. */
const liveEvents = Effect.fnUntraced(function* (file: string, { duration, seed }: OutageShape) {
  const { kubeconfig } = yield* readyServer({ folder: yield* temporaryFolder, port: yield* freePort })
  const recording = yield* recordLive(yield* connectionTo(yield* configOf(kubeconfig)))
  const common = ["--kubeconfig", kubeconfig, "--secure-port", "0", "--scenario", file]
  const manager = yield* startRollcall("controller-manager", ...common, "--leader-elect=false")
  const fleet = yield* startRollcall("kubelet", ...common, "--seed", String(seed))
  yield* fleet.waitForOutput(/"Kubelets run"/)
  yield* Effect.sleep(duration * 1000)
  assertThat(!manager.hasEnded() && !fleet.hasEnded(), () => `${manager.stderr()}${fleet.stderr()}`)
  const faultAt = recording.faultAt()
  if (faultAt === undefined) return yield* Effect.die(new Error(`no fault has happened:\n${fleet.stderr()}`))
  const events: ReadonlyArray<OutageEvent> = eventsOf(recording.trace(), faultAt)
  return events
}, Effect.scoped)

/** Whether both runs have the same events in the same order. */
const agrees = ({ inOneRun, swapped }: OutageComparison): boolean => inOneRun.length === 0 && swapped.length === 0

/**
 * Rehearses an outage, runs it live, and compares the two. If the machine stalls when a renewal is due, the live run is
 * a different outage, so a run that differs is repeated, at most `maxRuns` times; chance never puts a hundred events
 * into the same order.
 */
export const outageRehearsedAndLive = Effect.fnUntraced(function* (shape: OutageShape, maxRuns: number) {
  const file = join(yield* temporaryFolder, "zone-outage.yaml")
  writeFileSync(file, JSON.stringify(zoneOutage(shape)))
  const expected = yield* rehearsedEvents(file)
  const runAndCompare = Effect.map(liveEvents(file, shape), (live) =>
    compareOutages(expected, live, shape.apartSeconds)
  )
  let comparison = yield* runAndCompare
  let count = 1
  for (; count < maxRuns && !agrees(comparison); count++) {
    comparison = yield* runAndCompare
  }
  return { ...comparison, agrees: agrees(comparison), runs: count }
}, Effect.scoped)
