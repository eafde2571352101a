#!/usr/bin/env node
import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { makeGenerator } from "./build.ts"
import { makeReference } from "./reference/reference.ts"
import { readSite } from "./Site.ts"

/** Builds the documentation site from the repository: `npm run site [-- --out FOLDER] [-- --serve [--port N]]`. */
const root = fileURLToPath(new URL("../../..", import.meta.url))

const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(root, ".site") },
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "8080" }
  }
})

const output = resolve(values.out)
process.chdir(root)
rmSync(output, { recursive: true, force: true })
const site = readSite(root, await makeReference(root))
const generator = makeGenerator(site, output, values.serve)
if (values.serve) {
  await generator.init()
  await generator.watch()
  generator.serve(Number(values.port))
} else await generator.write()
