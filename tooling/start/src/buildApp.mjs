#!/usr/bin/env node
import { readFileSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { bundle } from "./bundle.mjs"
import { readManifests } from "./manifests.mjs"

// Builds the app of the working directory into its dist.
const root = fileURLToPath(new URL("../../..", import.meta.url))
const { name } = JSON.parse(readFileSync("package.json", "utf8"))
const outdir = resolve("dist")
rmSync(outdir, { recursive: true, force: true })
await bundle({ root, manifests: readManifests(root), app: name, build, outdir })
