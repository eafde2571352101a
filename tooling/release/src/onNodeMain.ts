#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { installNode } from "@rollcall/start/install"

// Runs tests on another release of Node: those where releases differ, which are SQLite, sockets, HTTP/2, threads and processes, or the given ones.
const root = fileURLToPath(new URL("../../..", import.meta.url))
const DIFFERENT = [
  "packages/store-sqlite/test/lost.test.ts",
  "packages/store-sqlite/test/refusals.test.ts",
  "packages/store-sqlite/test/Retention.test.ts",
  "packages/store-sqlite/test/fullDisk.test.ts",
  "packages/components/test/clusterFolder.test.ts",
  "packages/components/test/listening.test.ts",
  "packages/kube-client",
  "packages/pki",
  "packages/files",
  "packages/testing",
  "apps/server"
]
const [version = "22.21.0", ...files] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "on-node-"))
const { env } = process
try {
  installNode(join(folder, "work"), version, join(folder, "node"))
  const bin = join(folder, "node/bin")
  const { status } = spawnSync(
    join(bin, "node"),
    [join(root, "node_modules/vitest/vitest.mjs"), "run", ...(files.length > 0 ? files : DIFFERENT)],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...env, PATH: [bin, env.PATH].join(delimiter), NODE_COMPILE_CACHE: join(folder, "compiled") }
    }
  )
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
