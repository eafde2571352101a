#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { executableName, makeExecutable } from "./executable.ts"

// Makes dist/rollcall-linux-ARCH, and the archive of it that a release has.
const root = fileURLToPath(new URL("../../..", import.meta.url))
const dist = join(root, "dist")

const megabytes = (file: string): string => `${(statSync(file).size / 1e6).toFixed(0)} MB`

if (process.platform !== "linux") {
  process.stderr.write(`executable: is made on Linux; this is ${process.platform}\n`)
  process.exit(1)
}
await makeExecutable(root, join(dist, executableName))
const archive = join(dist, `${executableName}.tar.xz`)
const owner = ["--owner=0", "--group=0", "--numeric-owner"]
execFileSync("tar", ["-C", dist, ...owner, "-cJf", archive, executableName], { env: { ...process.env, XZ_OPT: "-T0" } })
for (const file of [join(dist, executableName, "rollcall"), archive])
  process.stdout.write(`${file}: ${megabytes(file)}\n`)
