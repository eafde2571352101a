import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadScenarios, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { must } from "../kill/Ledger.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { compareOutages, type Moment, momentsOf, type OutageComparison } from "./compare.ts"
import { recordLive } from "./recordLive.ts"
import { type OutageShape, zoneOutage } from "./scenario.ts"

/** What the rehearsal of a scenario file says. */
export const rehearsed = Effect.fnUntraced(function* (file: string) {
  const [plan] = yield* loadScenarios([file])
  if (plan === undefined) return yield* Effect.die(new Error(`${file} has no scenario`))
  const { trace } = yield* rehearse(plan)
  const faultAt = trace.find(({ type }) => type === "FaultStarted")?.at ?? 0
  return momentsOf(trace, faultAt)
})

/** Plays a scenario file with three processes: API server, controller manager, a fleet of kubelets; the last two by kubeconfig. */
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
  const moments: ReadonlyArray<Moment> = momentsOf(recording.trace(), faultAt)
  return moments
}, Effect.scoped)

/** The same nodes, the same pods, in the same order. */
const agrees = ({ alone, swapped }: OutageComparison): boolean => alone.length === 0 && swapped.length === 0

/**
 * Rehearses an outage and lets it happen live, and compares the two. A machine that stands still when a renewal is due plays
 * another outage than the one rehearsed, so what differs is played again, `plays` times at most; chance never puts a hundred
 * events into the same order.
 */
export const outageInTwoWorlds = Effect.fnUntraced(function* (shape: OutageShape, plays: number) {
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
