import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { SUPPORTED_NODE, unsupportedNode } from "../src/start/supportedNode.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))

describe("the releases of Node that programs run on", () => {
  it("are 22.21 of Node 22, and 24.8 and newer", () => {
    for (const version of ["22.21.0", "v22.23.3", "24.8.0", "24.21.0", "26.10.0", process.versions.node])
      assert.isUndefined(unsupportedNode("rollcall", version), version)
    for (const version of ["18.20.8", "20.20.2", "22.20.0", "23.11.1", "24.7.0"])
      assert.strictEqual(
        unsupportedNode("rollcall", `v${version}`),
        `rollcall: requires Node 24.8 or newer, or 22.21 or newer of Node 22; this is Node ${version}`
      )
  })

  it("are those of every manifest", () => {
    for (const group of ["packages", "apps"])
      for (const name of readdirSync(`${ROOT}/${group}`)) {
        const manifest = JSON.parse(readFileSync(`${ROOT}/${group}/${name}/package.json`, "utf8"))
        assert.deepStrictEqual(manifest.engines, { node: SUPPORTED_NODE }, name)
      }
  })
})
