#!/usr/bin/env node
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import type { Comparison } from "./Comparison.ts"
import { compare } from "./compare.ts"
import { type Run, readRecording, readRun } from "./Recording.ts"
import { rehearse } from "./rehearse.ts"

const USAGE = `pnpm compare-trace RECORDING [RESULT]
pnpm compare-trace FOLDER [FOLDER]

Compares recordings of the genuine controllers with results of 'rollcall simulate -o json' (or with other recordings).
Without a result the recording's own scenario is rehearsed, with its flags. Of a folder every NN-name.json is taken; a result
carries the same name. A file that cannot be compared is named, and the others are compared all the same.
Exit: 0 they agree, 1 they differ, 2 wrong input.`

/** The most differences of one recording that are printed. */
const MAX_PRINTED = 20

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const recordingsOf = (path: string): ReadonlyArray<string> => {
  if (!existsSync(path)) return fail(`${path}: no such file or folder`)
  if (!statSync(path).isDirectory()) return [path]
  const files = readdirSync(path).filter((name) => /^\d+.*\.json$/.test(name))
  return files.length === 0 ? fail(`${path}: no recordings`) : files.sort().map((name) => join(path, name))
}

const runFor = async (recording: string, result: string | undefined): Promise<Run> => {
  if (result === undefined) return rehearse(recording)
  return readRun(statSync(result).isDirectory() ? join(result, basename(recording)) : result)
}

const print = ({ differences, entries, events, largestSeconds, metrics, name }: Comparison): void => {
  const compared = `${entries} entries, ${events} Events, ${metrics} metric values; times within ${largestSeconds.toFixed(3)} s`
  process.stdout.write(`${differences.length === 0 ? "agrees " : "DIFFERS"} ${name}: ${compared}\n`)
  for (const { check, message } of differences.slice(0, MAX_PRINTED))
    process.stdout.write(`  ${check.padEnd(6)} ${message}\n`)
  if (differences.length > MAX_PRINTED) process.stdout.write(`  … and ${differences.length - MAX_PRINTED} more\n`)
}

const [path, result] = process.argv.slice(2)
if (path === undefined || path === "--help") {
  process.stdout.write(`${USAGE}\n`)
  process.exit(path === undefined ? 2 : 0)
}
if (result !== undefined && !existsSync(result)) fail(`${result}: no such file or folder`)
const differing: Array<string> = []
const unread: Array<string> = []
for (const file of recordingsOf(path)) {
  try {
    const comparison = compare(readRecording(file), await runFor(file, result))
    print(comparison)
    if (comparison.differences.length > 0) differing.push(comparison.name)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message.startsWith(file) ? "" : `${file}: `}${message}\n`)
    unread.push(basename(file))
  }
}
const lines = [
  ...(differing.length === 0 ? [] : [`${differing.length} differ: ${differing.join(", ")}`]),
  ...(unread.length === 0 ? [] : [`${unread.length} could not be compared: ${unread.join(", ")}`])
]
process.stdout.write(`${lines.length === 0 ? "all agree" : lines.join("\n")}\n`)
process.exit(unread.length > 0 ? 2 : differing.length > 0 ? 1 : 0)
