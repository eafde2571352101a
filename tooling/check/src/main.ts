#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeInputs } from "./inputsOf.ts"
import { addReport, readResults, writeResults } from "./results.ts"
import { describeRest, describeSelection, selectTests, type TestFile } from "./selection.ts"
import { slow } from "./slow.ts"
import { changedFiles, ENTRIES, entriesOf, readWorkspace, type Workspace } from "./Workspace.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const CACHE = join(ROOT, "node_modules/.cache/check")
const RESULTS = join(CACHE, "results.json")
const REPORT = join(CACHE, "report.json")

/** Processor time for tests of one run: with two workers, half of it passes by the clock. */
const BUDGET_MS = 24_000

const sha1 = (content: string | Buffer): string => createHash("sha1").update(content).digest("base64")

const makeDigest = ({ files }: Workspace) => {
  const known = new Map<string, string>()
  const contentOf = (file: string): string => {
    const path = join(ROOT, file.replace(ENTRIES, ""))
    const found =
      known.get(file) ?? sha1(file.endsWith(ENTRIES) ? entriesOf(readFileSync(path, "utf8")) : readFileSync(path))
    known.set(file, found)
    return found
  }
  const below = new Map<string, ReadonlyArray<string>>()
  const filesBelow = (folder: string): ReadonlyArray<string> => {
    const found = below.get(folder) ?? [...files].filter((file) => file.startsWith(`${folder}/`))
    below.set(folder, found)
    return found
  }
  return (inputs: Pick<TestFile, "files" | "folders">): string => {
    const all = new Set([...inputs.files.keys(), ...[...inputs.folders].flatMap(filesBelow)])
    const hash = createHash("sha1").update(process.version)
    for (const file of [...all].sort()) hash.update(`${file}\0${contentOf(file)}\n`)
    return hash.digest("base64")
  }
}

const workspace = readWorkspace(ROOT)
const inputsOf = makeInputs(workspace)
const digestOf = makeDigest(workspace)
const tests = [...workspace.files]
  .filter((file) => /^(?:packages|apps|tooling)\/[^/]+\/test\/.*\.test\.ts$/.test(file))
  .map((file): TestFile => {
    const inputs = inputsOf(file)
    return { file, ...inputs, digest: digestOf(inputs) }
  })
const isAll = process.argv.includes("--all")
const results = readResults(RESULTS)
const selection = selectTests({
  tests,
  changed: changedFiles(ROOT),
  passed: new Map([...results].flatMap(([file, { passed }]) => (passed === undefined ? [] : [[file, passed]]))),
  durations: new Map([...results].map(([file, { durationMs }]) => [file, durationMs])),
  slow: new Set(isAll ? [] : slow),
  budgetMs: isAll ? Number.POSITIVE_INFINITY : BUDGET_MS
})
process.stdout.write(`${describeSelection(selection, tests.length)}\n`)
if (selection.run.length === 0 || process.argv.includes("--list")) {
  if (process.argv.includes("--list"))
    for (const { because, file } of selection.run) process.stdout.write(`${file}  ${because ?? ""}\n`)
  process.exit(0)
}

// A run that ends before it reports must not leave the report of the run before.
rmSync(REPORT, { force: true })
const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${REPORT}`]
const run = spawnSync("vitest", ["run", ...selection.run.map(({ file }) => file), ...reporters], {
  cwd: ROOT,
  stdio: "inherit"
})
const digests = new Map(tests.map(({ digest, file }) => [file, digest]))
writeResults(RESULTS, addReport(results, JSON.parse(readFileSync(REPORT, "utf8")), { digests, root: ROOT }))
if (run.status === 0) process.stdout.write(`${describeRest(selection)}\n`)
process.exit(run.status ?? 1)
