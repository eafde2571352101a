#!/usr/bin/env node
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { checkSeed, repeatCommand, scenarioFile } from "./laws.ts"

const USAGE = `pnpm laws [--seeds N] [--from N] [--out FOLDER]

Rehearses N random scenarios (default 100), each four times: no invariant of the model may be violated, two runs must be the same, and
so must a run with columns and one with every heartbeat.
A seed that fails is printed, and the smallest scenario that still fails is written to FOLDER (default: here).
Exit: 0 all laws held, 1 some did not.`

/** Progress is printed after this many seeds. */
const PROGRESS_EVERY = 100

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    out: { type: "string", default: "." },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const [count, from] = [Number(values.seeds), Number(values.from)]
if (!(Number.isInteger(count) && count > 0 && Number.isInteger(from))) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const started = performance.now()
let failed = 0
for (let seed = from; seed < from + count; seed++) {
  const broken = checkSeed(seed)
  if (broken !== undefined) {
    failed++
    mkdirSync(values.out, { recursive: true })
    const file = join(values.out, `law-${seed}.json`)
    writeFileSync(file, scenarioFile(broken))
    process.stdout.write(`seed ${seed}: ${broken.problem}\n  ${repeatCommand(broken)}\n  rollcall simulate ${file}\n`)
  }
  const done = seed - from + 1
  if (done % PROGRESS_EVERY === 0) process.stderr.write(`${done} of ${count}, ${failed} failed\n`)
}
const seconds = (performance.now() - started) / 1000
process.stdout.write(`${count} seeds, ${failed} failed, ${seconds.toFixed(0)} s\n`)
process.exit(failed === 0 ? 0 : 1)
