#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutantsOf, notableMutants, type Report, scoreOf } from "./report.ts"
import { strykerConfig } from "./strykerConfig.ts"
import { type Target, targets } from "./targets.ts"

const USAGE = `pnpm mutation [PACKAGE…] [--only GLOB]… [--least PERCENT] [--quiet]

Puts small faults into the files of packages that decide, one at a time, and runs the package's own tests on each.
Prints each fault that no test notices, or that ran out of time, and the score: the share that is noticed. Packages: ${targets.map(({ name }) => name).join(", ")}
(default: all). --only takes other files of one package. It takes minutes to an hour a package, with one process.
Exit: 0 each score is PERCENT (default 0) or more, 1 one is less, 2 wrong input, 70 a run failed.`

const fail = (message: string, code: number): never => {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: "string", multiple: true, default: [] },
        least: { type: "string", default: "0" },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    })
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, 2)
  }
}

const root = fileURLToPath(new URL("../../..", import.meta.url))
const stryker = fileURLToPath(new URL("../../bin/stryker.js", import.meta.resolve("@stryker-mutator/core")))
const plugin = fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner"))

const vitestConfig = fileURLToPath(new URL("./vitestRuns.ts", import.meta.url))

/** Runs Stryker on a package and returns its report. */
const mutate = (target: Target): Report => {
  const folder = mkdtempSync(join(tmpdir(), "mutation-"))
  try {
    const [config, report] = [join(folder, "stryker.json"), join(folder, "report.json")]
    writeFileSync(config, JSON.stringify(strykerConfig(target, { plugin, report, vitestConfig })))
    const ran = spawnSync(process.execPath, [stryker, "run", config], {
      cwd: join(root, "packages", target.name),
      // Progress goes to stderr.
      stdio: ["ignore", values.quiet ? "ignore" : 2, 2]
    })
    if (ran.status !== 0) return fail(`${target.name}: Stryker ended with ${ran.status ?? ran.signal}`, 70)
    return JSON.parse(readFileSync(report, "utf8")) as Report
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { positionals, values } = readArguments()
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const least = Number(values.least)
const unknown = positionals.filter((name) => !targets.some((target) => target.name === name))
if (unknown.length > 0) fail(`no decisions to mutate in ${unknown.join(", ")}\n\n${USAGE}`, 2)
if (!(least >= 0 && least <= 100)) fail(`--least ${values.least}: not a percentage`, 2)
if (values.only.length > 0 && positionals.length !== 1) fail("--only goes with one package", 2)

let below = 0
for (const target of targets) {
  if (positionals.length > 0 && !positionals.includes(target.name)) continue
  const report = mutate(values.only.length > 0 ? { ...target, mutate: values.only } : target)
  for (const mutant of notableMutants(report)) process.stdout.write(`  ${mutant}\n`)
  const { killed, percent, survived, timedOut } = scoreOf(mutantsOf(report))
  const counts = `${killed} of ${killed + survived} mutants killed, ${timedOut} of them by running out of time`
  process.stdout.write(`${target.name}: ${percent} %, ${counts}\n`)
  if (percent < least) below++
}
process.exit(below === 0 ? 0 : 1)
