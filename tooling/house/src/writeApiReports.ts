#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { apiChanges, apiReport } from "./apiReport.ts"
import { publishedFolders } from "./packages.ts"

/** Writes `api.txt` of every built package, and prints what has changed since: read it as a user of the package would. */
const root = resolve(process.argv[2] ?? ".")
for (const folder of publishedFolders(root).filter((path) => path.includes("/packages/"))) {
  const file = join(folder, "api.txt")
  const report = apiReport(folder)
  const changes = existsSync(file) ? apiChanges(readFileSync(file, "utf8"), report) : ["+ the report"]
  writeFileSync(file, report)
  for (const change of changes) process.stdout.write(`${relative(root, folder)} ${change}\n`)
}
