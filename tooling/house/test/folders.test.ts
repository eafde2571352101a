import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { type Member, readMembers } from "../src/floors.ts"
import { fileCycles, folderViolations } from "../src/folders.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const memberWithImports = (imports: Readonly<Record<string, ReadonlyArray<string>>>): Member => ({
  name: "@rollcall/x",
  folder: "packages/x",
  floor: 1,
  dependencies: [],
  folders: { core: [], http: ["core"] },
  imports: Object.entries(imports).flatMap(([file, specifiers]) =>
    specifiers.map((specifier) => ({ file: `packages/x/src/${file}`, specifier }))
  )
})

describe("folders", () => {
  it("hold: the packages that declare an order keep it", () => {
    const members = readMembers(root)
    assert.include(
      members.filter(({ folders }) => folders !== undefined).map(({ name }) => name),
      "@rollcall/api-server"
    )
    assert.deepStrictEqual(folderViolations(members), [])
  })

  it("may use declared folders and themselves", () => {
    const imports = { "http/a.ts": ["../core/b.ts", "./c.ts", "effect/Effect"], "core/b.ts": ["./d/e.ts"] }
    assert.deepStrictEqual(folderViolations([memberWithImports(imports)]), [])
  })

  it("refuse an import against the order, and a folder that is not declared", () => {
    assert.deepStrictEqual(
      folderViolations([memberWithImports({ "core/b.ts": ["../http/a.ts"], "other/o.ts": ["../core/b.ts"] })]),
      [
        "packages/x/src/core/b.ts: core/ may not use http/ (http/a.ts)",
        "packages/x/src/other: not among rollcall.folders"
      ]
    )
  })

  it("refuse cycles of folders at any depth, also through files, and report each once", () => {
    const imports = {
      "core/watch/a.ts": ["../registry/b.ts"],
      "core/registry/b.ts": ["../all.ts"],
      "core/all.ts": ["./watch/a.ts"],
      "core/registry/c/d.ts": ["../e/f.ts"],
      "core/registry/e/f.ts": ["../c/d.ts"]
    }
    assert.deepStrictEqual(folderViolations([memberWithImports(imports)]), [
      "packages/x/src/core: a cycle of registry → all.ts → watch → registry",
      "packages/x/src/core/registry: a cycle of c → e → c"
    ])
  })
})

describe("files", () => {
  it("form no cycle, in any package", () => {
    assert.deepStrictEqual(fileCycles(readMembers(root)), [])
  })

  it("are refused if they import each other in a cycle, each reported once", () => {
    const imports = {
      "core/b.ts": ["./c.ts"],
      "core/a.ts": ["./b.ts"],
      "core/c.ts": ["./a.ts"],
      "http/d.ts": ["../core/a.ts"]
    }
    assert.deepStrictEqual(fileCycles([memberWithImports(imports)]), [
      "packages/x/src: a cycle of core/a.ts → core/b.ts → core/c.ts → core/a.ts"
    ])
  })
})
