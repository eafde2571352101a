import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { loadScenarios, simulate } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import type { Run } from "./Recording.ts"

/** Rehearses the scenario of a recording, with the recording's flags. */
export const rehearse = async (recording: string): Promise<Run> => {
  const { flags, scenario } = JSON.parse(readFileSync(recording, "utf8"))
  const folder = mkdtempSync(join(tmpdir(), "rehearse-"))
  try {
    const file = join(folder, basename(recording))
    // The driver of a recording adds the selected nodes to each event.
    const events = (scenario.spec.events ?? []).map(({ picked: _, ...event }: Record<string, unknown>) => event)
    writeFileSync(file, JSON.stringify({ ...scenario, spec: { ...scenario.spec, events, flags } }))
    const program = Effect.gen(function* () {
      const [plan] = yield* loadScenarios([file])
      if (plan === undefined) return yield* Effect.die(`${recording} holds no scenario`)
      const simulation = yield* simulate(plan)
      simulation.runWhile(() => true)
      const result = simulation.result(0)
      return { ...result, trace: result.trace.map((entry) => ({ ...entry })) }
    })
    return await Effect.runPromise(Effect.provide(Effect.scoped(program), NodeServices.layer))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
