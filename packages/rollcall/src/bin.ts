#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

/** The command `rollcall` is that of `@rollcall/cli`, so that `npx rollcall up` works with this package alone. */
const manifestFile = createRequire(import.meta.url).resolve("@rollcall/cli/package.json")
const { bin } = JSON.parse(readFileSync(manifestFile, "utf8")) as { readonly bin: { readonly rollcall: string } }

await import(pathToFileURL(join(dirname(manifestFile), bin.rollcall)).href)
