#!/usr/bin/env node
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { adapters } from "./adapters/index.ts"
import { matchesGlob, readVectorFiles } from "./files.ts"
import { type Failure, runFile } from "./run.ts"

const USAGE = `pnpm conformance [--vectors DIR] [--subject GLOB]… [--quiet]

Runs conformance vectors against Rollcall. DIR holds one file a subject (default: the project's own fixtures);
GLOB matches area/topic, for example 'lifecycle/*' or '{eviction,tainteviction}/*'.
Exit: 0 all passed, 1 a case failed, 2 wrong input.`

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        vectors: { type: "string", default: fileURLToPath(new URL("../fixtures/vectors", import.meta.url)) },
        subject: { type: "string", multiple: true, default: ["**"] },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}

const print = ({ subject, name, expected, actual }: Failure) => {
  const actualText = typeof actual === "string" ? actual : JSON.stringify(actual)
  process.stdout.write(`FAIL ${subject}: ${name}\n  expected ${JSON.stringify(expected)}\n  actual   ${actualText}\n`)
}

const values = readArguments()
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
if (!existsSync(values.vectors)) fail(`--vectors ${values.vectors}: no such folder`)
const files = readVectorFiles(values.vectors).filter((file) =>
  values.subject.some((glob) => matchesGlob(glob, file.subject))
)
if (files.length === 0) fail(`no subject in ${values.vectors} matches ${values.subject.join(", ")}`)

let passed = 0
let failed = 0
for (const file of files) {
  const outcome = runFile(file, adapters)
  passed += outcome.passed
  failed += outcome.failures.length
  if (!values.quiet) outcome.failures.forEach(print)
  process.stdout.write(
    `${outcome.failures.length === 0 ? "ok  " : "FAIL"} ${file.subject} ${outcome.passed}/${file.cases.length}\n`
  )
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
