#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { makeInputs } from "./inputsOf.ts"
import { describeSelection, selectTests, type TestFile } from "./selection.ts"
import { slow } from "./slow.ts"
import { changedFiles, ENTRIES, entriesOf, readWorkspace, type Workspace } from "./Workspace.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const CACHE = join(ROOT, "node_modules/.cache/check")
const PASSED = join(CACHE, "passed.json")
const REPORT = join(CACHE, "report.json")

interface Report {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly status: string }>
}

const readPassed = (): ReadonlyMap<string, string> => {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(PASSED, "utf8")) as Readonly<Record<string, string>>))
  } catch {
    // Nothing is known to have passed here.
    return new Map()
  }
}

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
    const all = new Set([...inputs.files, ...[...inputs.folders].flatMap(filesBelow)])
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
const passed = readPassed()
const isAll = process.argv.includes("--slow")
const selection = selectTests({ tests, changed: changedFiles(ROOT), passed, slow: new Set(isAll ? [] : slow) })
process.stdout.write(`${describeSelection(selection, tests.length)}\n`)
if (selection.run.length === 0 || process.argv.includes("--list")) {
  if (process.argv.includes("--list"))
    for (const { because, file } of selection.run) process.stdout.write(`${file}  ${because ?? ""}\n`)
  process.exit(0)
}

mkdirSync(dirname(REPORT), { recursive: true })
const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${REPORT}`]
const run = spawnSync("vitest", ["run", ...selection.run.map(({ file }) => file), ...reporters], {
  cwd: ROOT,
  stdio: "inherit"
})
const digests = new Map(tests.map(({ digest, file }) => [file, digest]))
const current = new Map([...passed].filter(([file]) => digests.has(file)))
for (const { name, status } of (JSON.parse(readFileSync(REPORT, "utf8")) as Report).testResults) {
  const file = relative(ROOT, name)
  const digest = digests.get(file)
  if (status === "passed" && digest !== undefined) current.set(file, digest)
  else current.delete(file)
}
writeFileSync(PASSED, JSON.stringify(Object.fromEntries(current), null, 1))
process.exit(run.status ?? 1)
