#!/usr/bin/env node
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type BrokenLaw, repeatCommand, scenarioFile } from "./laws.ts"
import { checkInThreads } from "./threads.ts"

const USAGE = `pnpm laws [--seeds N] [--from N] [--out FOLDER] [--threads N]

Rehearses N random scenarios (default 100), each three times: no invariant of the model may be violated, two runs with columns must be the
same, and so must one with every heartbeat. Uses all processors, or as many as --threads says.
A seed that fails is printed, and the smallest scenario that still fails is written to FOLDER (default: here).
Exit: 0 all laws held, 1 some did not.`

/** Progress is printed after this many seeds. */
const PROGRESS_EVERY = 100
const THREAD = new URL("./lawThread.ts", import.meta.url)

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    out: { type: "string", default: "." },
    threads: { type: "string", default: String(availableParallelism()) },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const [count, from, threads] = [Number(values.seeds), Number(values.from), Number(values.threads)]
if (!(Number.isInteger(count) && count > 0 && Number.isInteger(from) && Number.isInteger(threads) && threads > 0)) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const started = performance.now()
let failed = 0

const report = (broken: BrokenLaw): void => {
  failed++
  mkdirSync(values.out, { recursive: true })
  const file = join(values.out, `law-${broken.seed}.json`)
  writeFileSync(file, scenarioFile(broken))
  process.stdout.write(
    `seed ${broken.seed}: ${broken.problem}\n  ${repeatCommand(broken)}\n  rollcall simulate ${file}\n`
  )
}

await checkInThreads({ from, count, threads: Math.min(threads, count), script: THREAD }, (seed, broken) => {
  if (broken !== undefined) report(broken)
  const done = seed - from + 1
  if (done % PROGRESS_EVERY === 0) process.stderr.write(`${done} of ${count}, ${failed} failed\n`)
})
const seconds = (performance.now() - started) / 1000
process.stdout.write(`${count} seeds, ${failed} failed, ${seconds.toFixed(0)} s\n`)
process.exit(failed === 0 ? 0 : 1)
