#!/usr/bin/env node
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Program, readPrograms } from "./programs.ts"

/**
 * What is checked without running the code: `node tooling/check/src/statics.ts [types] [lint]`, both without arguments. The steps run beside
 * each other, one for each processor; the output of a step is printed when it fails.
 */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const CACHE = join(ROOT, "node_modules/.cache/check")

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly failed?: (output: string) => boolean
}

const writeProgram = (name: string, { include, options }: Program): string => {
  mkdirSync(CACHE, { recursive: true })
  const path = join(CACHE, `tsconfig.${name}.json`)
  const up = (file: string): string => `../../../${file}`
  const compilerOptions = { ...options, incremental: true, tsBuildInfoFile: `./${name}.tsbuildinfo` }
  writeFileSync(
    path,
    JSON.stringify({ extends: up("tsconfig.base.json"), compilerOptions, include: include.map(up) }, null, 2)
  )
  return path
}

const typesName = ({ options: { allowJs, types } }: Program): string =>
  allowJs === true
    ? "types of JavaScript"
    : `types ${Array.isArray(types) && types.includes("node") ? "with" : "without"} Node`

const typeSteps = (): ReadonlyArray<Step> =>
  readPrograms(ROOT).map((program, index) => {
    const command = ["tsc", "-p", writeProgram(`types-${index + 1}`, program), "--pretty"]
    return { name: typesName(program), command }
  })

const sources = (): Program => ({
  options: { types: ["node"] },
  include: readPrograms(ROOT, "{packages,apps,tooling}/*/tsconfig.json").flatMap(({ include }) => include)
})

/** effect-tsgo exits 0 even if it checked no file, so its printed count is checked too. */
const checkedNone = (output: string): boolean => Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0) === 0

const lintSteps = (): ReadonlyArray<Step> => [
  {
    name: "Effect's diagnostics",
    command: [
      "effect-tsgo",
      "diagnostics",
      "--project",
      writeProgram("lint", sources()),
      "--strict",
      "--format",
      "text"
    ],
    failed: checkedNone
  },
  { name: "biome", command: ["biome", "check"] },
  { name: "house", command: ["node", "tooling/house/src/main.ts"] },
  { name: "knip", command: ["knip", "--no-progress", "--cache"] }
]

const run = ({ command: [program, ...args], failed = () => false, name }: Step): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const child = spawn(program ?? "", args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("error", reject)
    child.on("close", (status) => {
      const output = Buffer.concat(chunks).toString()
      const passed = status === 0 && !failed(output)
      if (!passed) process.stderr.write(`${output}\n${name}: failed\n`)
      resolve(passed)
    })
  })

const wanted = process.argv.slice(2)
const wants = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
const waiting = [...(wants("lint") ? lintSteps() : []), ...(wants("types") ? typeSteps() : [])]
const names = waiting.map(({ name }) => name)
let passed = true
const worker = async (): Promise<void> => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) passed = (await run(step)) && passed
}
await Promise.all(Array.from({ length: availableParallelism() }, worker))
if (passed) process.stdout.write(`passed: ${names.join(", ")}\n`)
process.exit(passed ? 0 : 1)
