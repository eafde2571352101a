import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadScenarios, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { must } from "../kill/Ledger.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { compareOutages, eventsOf, type OutageComparison, type OutageEvent } from "./compare.ts"
import { recordLive } from "./recordLive.ts"
import { type OutageShape, zoneOutage } from "./scenario.ts"

/** Rehearses a scenario file. */
export const rehearsed = Effect.fnUntraced(function* (file: string) {
  const [plan] = yield* loadScenarios([file])
  if (plan === undefined) return yield* Effect.die(new Error(`${file} has no scenario`))
  const { trace } = yield* rehearse(plan)
  const faultAt = trace.find(({ type }) => type === "FaultStarted")?.at ?? 0
  return eventsOf(trace, faultAt)
})

/** Runs a scenario file live with three processes: API server, controller manager and a fleet of kubelets; the last two use a kubeconfig. */
const played = Effect.fnUntraced(function* (file: string, { duration, seed }: OutageShape) {
  const { kubeconfig } = yield* readyServer({ folder: yield* temporaryFolder, port: yield* freePort })
  const recording = yield* recordLive(yield* connectionTo(yield* configOf(kubeconfig)))
  const common = ["--kubeconfig", kubeconfig, "--secure-port", "0", "--scenario", file]
  const manager = yield* startRollcall("controller-manager", ...common, "--leader-elect=false")
  const fleet = yield* startRollcall("kubelet", ...common, "--seed", String(seed))
  yield* fleet.says(/"Kubelets run"/)
  yield* Effect.sleep(duration * 1000)
  must(!manager.hasEnded() && !fleet.hasEnded(), () => `${manager.stderr()}${fleet.stderr()}`)
  const faultAt = recording.faultAt()
  if (faultAt === undefined) return yield* Effect.die(new Error(`no fault has happened:\n${fleet.stderr()}`))
  const events: ReadonlyArray<OutageEvent> = eventsOf(recording.trace(), faultAt)
  return events
}, Effect.scoped)

/** Whether both runs have the same events in the same order. */
const agrees = ({ alone, swapped }: OutageComparison): boolean => alone.length === 0 && swapped.length === 0

/**
 * Rehearses an outage, runs it live, and compares the two. If the machine stalls when a renewal is due, the live run is
 * a different outage, so a run that differs is repeated, at most `plays` times; chance never puts a hundred
 * events into the same order.
 */
export const outageRehearsedAndLive = Effect.fnUntraced(function* (shape: OutageShape, plays: number) {
  const file = join(yield* temporaryFolder, "zone-outage.yaml")
  writeFileSync(file, JSON.stringify(zoneOutage(shape)))
  const expected = yield* rehearsed(file)
  const compared = Effect.map(played(file, shape), (live) => compareOutages(expected, live, shape.apartSeconds))
  let comparison = yield* compared
  let count = 1
  for (; count < plays && !agrees(comparison); count++) {
    comparison = yield* compared
  }
  return { ...comparison, agrees: agrees(comparison), plays: count }
}, Effect.scoped)
