#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))

/**
 * Runs the tests of the package in the working directory: `pnpm test`, `pnpm test -- admission`, `pnpm test admission -t NAME`.
 * Words before the first option choose files whose path below the package contains one of them; the rest goes to vitest.
 * The workspace has one vitest configuration, whose own filters are joined by "or" and so cannot name a package and a word.
 */
const given = process.argv.slice(2).filter((argument) => argument !== "--")
const firstOption = given.findIndex((argument) => argument.startsWith("-"))
const words = firstOption === -1 ? given : given.slice(0, firstOption)
const options = firstOption === -1 ? [] : given.slice(firstOption)

const folder = relative(ROOT, process.cwd())
const files = readdirSync(join(ROOT, folder, "test"), { recursive: true, encoding: "utf8" })
  .map((file) => join("test", file))
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
if (files.length === 0) {
  process.stderr.write(`${folder}: no test file has ${words.join(" or ")} in its path\n`)
  process.exit(1)
}
const { status } = spawnSync("vitest", ["run", ...files.map((file) => join(folder, file)), ...options], {
  cwd: ROOT,
  stdio: "inherit"
})
process.exit(status ?? 1)
