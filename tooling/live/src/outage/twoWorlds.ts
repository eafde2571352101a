import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadScenarios, rehearse } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { must } from "../kill/Ledger.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { compareOutages, type Moment, momentsOf } from "./compare.ts"
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

/** Rehearses an outage and lets it happen live, and compares the two. */
export const outageInTwoWorlds = Effect.fnUntraced(function* (shape: OutageShape) {
  const file = join(yield* temporaryFolder, "zone-outage.yaml")
  writeFileSync(file, JSON.stringify(zoneOutage(shape)))
  return compareOutages(yield* rehearsed(file), yield* played(file, shape))
}, Effect.scoped)
