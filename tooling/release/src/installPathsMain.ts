#!/usr/bin/env node
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { packAll } from "@rollcall/house/packages"
import { installNode } from "@rollcall/start/install"
import { installPaths } from "./install/paths.ts"
import { serveRegistry } from "./install/registry.ts"
import { tryOldNode, tryPath } from "./install/tryPath.ts"

// Installs what is packed in empty folders by each path, on the given releases of Node, and prints sizes and times. Nothing is cached.
const root = fileURLToPath(new URL("../../..", import.meta.url))
const { devDependencies, packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const asked = process.argv.slice(2)
const versions = asked.length > 0 ? asked : ["22.21.0", "22", devDependencies.node, "20"]

const folder = mkdtempSync(join(tmpdir(), "install-paths-"))
const say = (line: string): unknown => process.stdout.write(`${line}\n`)
const seconds = (figure: number): string => `${figure.toFixed(1)} s`
try {
  const packed = packAll(root, packageManager, join(folder, "tarballs"))
  const registry = await serveRegistry(packed.map(({ tarball }) => tarball))
  const names = new Set(packed.map(({ name }) => name))
  for (const version of versions) {
    installNode(join(folder, `work-${version}`), version, join(folder, version))
    const surroundings = { node: join(folder, version, "bin"), registry: registry.url }
    for (const path of installPaths(root).filter((path) => names.has(path.package))) {
      const title = `Node ${version}: ${path.name}`
      if (Number(version.split(".")[0]) < 22) {
        if (path.program === undefined) continue
        const { code, output } = await tryOldNode(path, surroundings)
        say(`${title}: exit ${code}: ${output.trim()}`)
      } else {
        const { installSeconds, megabytes, readySeconds, rehearsalSeconds } = await tryPath(path, surroundings)
        const rehearsal = rehearsalSeconds === undefined ? "" : `, rehearsed in ${seconds(rehearsalSeconds)}`
        const installed = `${megabytes.toFixed(1)} MB in ${seconds(installSeconds)}`
        say(`${title}: ${installed}, Ready in ${seconds(readySeconds)}${rehearsal}`)
      }
    }
  }
  await registry.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
