#!/usr/bin/env node
import { existsSync } from "node:fs"
import { matchesGlob } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { type Case, readCases } from "./Case.ts"
import { findKubectl } from "./findKubectl.ts"
import { looseCases } from "./loose.ts"
import { ownWorkshops, runCases, runnable, type Verdict } from "./Runner.ts"
import { targetOf } from "./Target.ts"
import { openWorkshop } from "./Workshop.ts"

const USAGE = `pnpm transcripts [--case GLOB] [--only bare|controllers] [--kubeconfig FILE] [--kubectl PATH] [--quiet] [PATH…]

Runs recorded sessions with a genuine API server against ours, or against the server of a kubeconfig, and compares.
PATH is a file of cases or a folder of such files (default: the project's own fixtures).
  --case GLOB        cases whose name matches, for example 'get/*'
  --only KIND        bare: what an API server answers alone; controllers: what needs kube-controller-manager beside it
  --kubeconfig FILE  an empty server of your own; its current context must be a member of system:masters
  --kubectl PATH     default: v1.32 from PATH; with another version fewer things are checked, by expressions
  --quiet            names of failed cases, not what differs
Exit: 0 all passed, 1 a case failed or none was found, 2 wrong input.`

const SERVERS = 3
const fixtures = fileURLToPath(new URL("../fixtures/transcripts", import.meta.url))

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        case: { type: "string", default: "**" },
        only: { type: "string" },
        kubeconfig: { type: "string" },
        kubectl: { type: "string", default: "" },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    })
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}

const { positionals, values } = readArguments()
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
if (values.only !== undefined && values.only !== "bare" && values.only !== "controllers") {
  fail(`--only: found ${JSON.stringify(values.only)}, expected bare or controllers`)
}

/** A star in `--case` matches anything, including slashes. */
const pattern = values.case.replaceAll(/\*+/g, "**")
const isAsked = ({ controllers = false, name }: Case): boolean =>
  (values.case === name || matchesGlob(name, pattern) || matchesGlob(name, values.case)) &&
  (values.only === undefined || (values.only === "controllers") === controllers)

const readAsked = (): ReadonlyArray<Case> => {
  try {
    return (positionals.length === 0 ? [fixtures] : positionals).flatMap(readCases).filter(isAsked)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

const print = ({ name, problems }: Verdict) =>
  Effect.sync(() => {
    if (problems.length === 0) return
    process.stdout.write(`FAIL ${name}\n${values.quiet ? "" : `${problems.join("\n")}\n`}`)
  })

/** Runs cases for a lone API server and cases for one with controllers, each on servers of that kind. */
const runOnOwn = (cases: ReadonlyArray<Case>, kubectl: string | undefined) =>
  Effect.forEach([false, true], (controlled) => {
    const these = cases.filter(({ controllers = false }) => controllers === controlled)
    const servers = Math.min(SERVERS, these.length)
    return Effect.flatMap(ownWorkshops(servers, kubectl, controlled), (workshops) => runCases(workshops, these, print))
  }).pipe(Effect.map((verdicts) => verdicts.flat()))

const main = Effect.gen(function* () {
  const asked = readAsked()
  if (values.kubectl !== "" && !existsSync(values.kubectl)) fail(`--kubectl ${values.kubectl}: no such file`)
  const kubectl = yield* findKubectl(values.kubectl)
  const cases = [...runnable(asked, kubectl?.isRecorded === true)]
  const skipped = asked.length - cases.length
  if (skipped > 0) {
    const why =
      kubectl === undefined
        ? "there is no kubectl"
        : `they were recorded with kubectl v1.32 and this is ${kubectl.version}: loose checks are made in their stead`
    process.stderr.write(`transcripts: ${skipped} cases skipped: ${why}\n`)
    if (kubectl !== undefined) cases.push(...looseCases(kubectl).filter(isAsked))
  }
  const verdicts =
    values.kubeconfig === undefined
      ? yield* runOnOwn(cases, kubectl?.path)
      : yield* runCases([yield* openWorkshop(yield* targetOf(values.kubeconfig), kubectl?.path)], cases, print)
  const failed = verdicts.filter(({ problems }) => problems.length > 0).length
  process.stdout.write(`${verdicts.length - failed} passed, ${failed} failed\n`)
  return failed === 0 && verdicts.length > 0 ? 0 : 1
})

const exit = await Effect.runPromise(
  main.pipe(
    Effect.scoped,
    Effect.catch((error) => Effect.sync(() => fail(error.message)))
  )
)
process.exitCode = exit
