import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { inTurnOrder } from "@rollcall/report"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Rehearsals } from "../src/rehearsals/Rehearsals.ts"
import type { RehearsalJob, Rehearsed } from "../src/rehearsals/rehearseFiles.ts"
import { threadScript } from "../src/rehearsals/threadScript.ts"
import { layerThreads } from "../src/rehearsals/threads.ts"
import { makeFolder, scenario } from "./cli.ts"

const inFolder = makeFolder({ "one.yaml": scenario(), "two.yaml": `${scenario()}---${scenario("", "other")}` })

const jobOf = (file: string, seed?: number, ...set: ReadonlyArray<string>): RehearsalJob => ({
  files: [inFolder(file)],
  set,
  seed,
  compared: "settings"
})

const threads = (script = threadScript) => layerThreads({ count: 2, script, jobs: 9, worthwhileMs: 0 })

const runAll = (layer: Layer.Layer<Rehearsals, never, never>, ...jobs: ReadonlyArray<RehearsalJob>) =>
  Effect.flatMap(Rehearsals, ({ concurrency, run }) => inTurnOrder(jobs, concurrency, run)).pipe(
    Effect.provide(layer),
    Effect.exit,
    Effect.runPromise
  )

const seeds = [1, 2, 3, 4].map((seed) => jobOf("one.yaml", seed))

const digestsOf = (exit: Exit.Exit<ReadonlyArray<Rehearsed>, unknown>): ReadonlyArray<string> =>
  Exit.isSuccess(exit) ? exit.value.map(({ result: { spec, summary } }) => `${spec.seed} ${summary.traceDigest}`) : []

const failureOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "none"

describe.each([
  ["in this thread", Rehearsals.layerInProcess],
  ["in threads", threads()]
])("rehearsals %s", (_, layer) => {
  const provided = Layer.provide(layer, NodeServices.layer)

  it("answer in the order of the jobs, each with the result of its seed", { timeout: 60_000 }, async () => {
    const here = Layer.provide(Rehearsals.layerInProcess, NodeServices.layer)
    const alone = await Promise.all(seeds.map((job) => runAll(here, job)))
    assert.deepStrictEqual(digestsOf(await runAll(provided, ...seeds)), alone.flatMap(digestsOf))
    assert.lengthOf(new Set(alone.flatMap(digestsOf)), seeds.length)
  })

  it("fail with the problems of the first job that fails", { timeout: 60_000 }, async () => {
    const bad = (value: string) => jobOf("one.yaml", 1, `spec.duration=${value}`)
    const exit = await runAll(provided, seeds[0] as RehearsalJob, bad("soon"), seeds[1] as RehearsalJob, bad("late"))
    assert.match(failureOf(exit), /spec\.duration: found "soon"/)
    assert.match(failureOf(await runAll(provided, jobOf("two.yaml"))), /expected one to compare settings by/)
  })
})

describe("threads", () => {
  it("that end make their job die, and no other job waits for them", { timeout: 60_000 }, async () => {
    const broken = new URL("data:text/javascript,process.exit(3)")
    const exit = await runAll(Layer.provide(threads(broken), NodeServices.layer), ...seeds)
    assert.match(failureOf(exit), /the thread of a rehearsal ended with code 3/)
  })

  it("are not started for little work", { timeout: 60_000 }, async () => {
    const missing = new URL(`file://${fileURLToPath(threadScript as URL)}.missing`)
    const layer = layerThreads({ count: 2, script: missing, jobs: 9, worthwhileMs: 1e9 })
    assert.isTrue(Exit.isSuccess(await runAll(Layer.provide(layer, NodeServices.layer), ...seeds)))
  })
})
