import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { floorViolations, importsOf, readMembers } from "../src/floors.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const broken = fileURLToPath(new URL("../fixtures/broken", import.meta.url))
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

describe("floors", () => {
  it("hold: every arrow of the workspace points to a lower floor", () => {
    const members = readMembers(root)
    assert.isAbove(members.length, 10)
    assert.isAbove(members.flatMap((member) => member.imports).length, 100)
    assert.deepStrictEqual(floorViolations(root, members), [])
  })

  it("refuse a dependency upwards, an import upwards, and a path into another package", () => {
    assert.deepStrictEqual(floorViolations(broken, readMembers(broken)), [
      "packages/api/package.json: @rollcall/api (floor 1) may not use @rollcall/kubelet (floor 4)",
      "packages/cluster/src/Port.ts: @rollcall/cluster (floor 2) may not use @rollcall/kubelet (floor 4)",
      "packages/cluster/src/Port.ts: ../../api/src/index.ts leaves the package"
    ])
  })

  it("fail the lint command on the broken fixture", () => {
    const run = spawnSync(process.execPath, [main, broken], { encoding: "utf8" })
    assert.strictEqual(run.status, 1)
    assert.include(run.stderr, "may not use @rollcall/kubelet")
  })

  it("match the pages", () => {
    const packages = readMembers(root).filter(({ folder }) => folder.startsWith("packages/"))
    const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8")
    const architecture = readFileSync(join(root, "docs/architecture.md"), "utf8")
    for (const floor of new Set(packages.map((member) => member.floor))) {
      const own = packages
        .filter((member) => member.floor === floor)
        .map(({ folder }) => folder.slice("packages/".length))
      const row = new RegExp(`^\\| ${floor} \\| (.*) \\|$`, "m").exec(contributing)?.[1] ?? ""
      assert.sameMembers(
        [...row.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
        own
      )
      const line = new RegExp(`^floor ${floor} .*(\\n {4,}.*)*`, "m").exec(architecture)?.[0] ?? ""
      assert.includeMembers(line.split(/ {2,}|\n/), own)
    }
  })

  it("see every form of import", () => {
    assert.deepStrictEqual(
      importsOf(`import a from "x"\nimport {\n  b\n} from './y.ts'\nexport * from "z"\nimport "w"\nawait import("v")`),
      ["x", "./y.ts", "z", "w", "v"]
    )
  })
})
