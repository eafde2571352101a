#!/usr/bin/env node
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { packAll } from "@rollcall/house/packages"
import { candidatesOf, isPublished, publish } from "./publish/candidates.ts"
import { releaseProblems, UNRELEASED } from "./publish/releaseProblems.ts"

// `check` packs every public package, and has npm publish each without doing so. `publish` does it, for versions that npm lacks.
const root = fileURLToPath(new URL("../../..", import.meta.url))
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const { version } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8"))
const publishes = process.argv[2] === "publish"
const { GITHUB_OUTPUT: outputs } = process.env

const folder = mkdtempSync(join(tmpdir(), "release-"))
try {
  const candidates = candidatesOf(root, packAll(root, packageManager, folder))
  const problems = candidates.flatMap((candidate) => releaseProblems(candidate, version))
  if (version === UNRELEASED && publishes) problems.push(`nothing has a version yet: npm run release:version`)
  if (version !== UNRELEASED && !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`# Rollcall ${version}\n`))
    problems.push(`CHANGELOG.md has no "# Rollcall ${version}": write what a user gets`)
  let published = 0
  for (const candidate of problems.length === 0 ? candidates : []) {
    if (publishes && (await isPublished(candidate))) continue
    await publish(candidate, !publishes)
    published += 1
    process.stdout.write(`${publishes ? "published" : "npm would publish"} ${candidate.packed.name}@${version}\n`)
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
  if (outputs !== undefined) appendFileSync(outputs, `version=${version}\npublished=${published > 0}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
