import { assert, describe, it } from "vitest"
import { parseImports } from "../src/parseImports.ts"

describe("the imports of a source", () => {
  it("are its values: types are gone when it runs", () => {
    const { imports } = parseImports(
      [
        'import type { A } from "./a.ts"',
        'import { type B, c as d, e } from "@rollcall/x"',
        "import {",
        "  f,",
        "  type G",
        '} from "./f.ts"',
        'import * as H from "./h.ts"',
        'import "./side.ts"',
        'const later = () => import("./later.ts")',
        'const name = "import { no } from \\"./no.ts\\""',
        '// import { no } from "./no.ts"'
      ].join("\n")
    )
    assert.deepStrictEqual(
      imports.map(({ names, specifier }) => [specifier, names]),
      [
        ["@rollcall/x", ["c", "e"]],
        ["./f.ts", ["f"]],
        ["./h.ts", undefined],
        ["./side.ts", undefined],
        ["./later.ts", undefined]
      ]
    )
  })

  it("of a file that only exports from others have the names of both sides", () => {
    const barrel = parseImports(
      '/** What it is. */\nexport { a, b as c } from "./a.ts"\nexport * from "./b.ts"\nexport * as D from "./d.ts"\nexport type { E } from "./e.ts"\n'
    )
    assert.isTrue(barrel.isBarrel)
    assert.deepStrictEqual(barrel.reExports, [
      { specifier: "./a.ts", as: "a", name: "a" },
      { specifier: "./a.ts", as: "c", name: "b" },
      { specifier: "./b.ts", as: undefined, name: undefined },
      { specifier: "./d.ts", as: "D", name: undefined }
    ])
    assert.isFalse(parseImports('export * from "./b.ts"\nregister()').isBarrel)
  })

  it("come with what it exports itself", () => {
    const { exports } = parseImports(
      "export const a = 1\nexport async function b() {}\nexport class C {}\nconst d = 1\nexport { d as e }\nexport interface F {}"
    )
    assert.deepStrictEqual([...exports].sort(), ["C", "F", "a", "b", "e"])
  })
})

describe("the paths of a source", () => {
  it("are strings and parts of templates, whatever quotes stand around them", () => {
    const { paths } = parseImports(
      [
        "const odd = /\"/; new URL('../fixtures', import.meta.url)",
        "const fence = /```sh\\n/",
        ["join(root, `examples/", "{name}/shop.yaml`)"].join("$"),
        'run("rollcall simulate --config=examples/shop.yaml")',
        'read("docs", "a sentence is no path", "")'
      ].join("\n")
    )
    assert.includeMembers([...paths], ["../fixtures", "examples/", "/shop.yaml", "docs", "examples/shop.yaml"])
    assert.notInclude(paths, "a sentence is no path")
    assert.notInclude(paths, "sentence")
  })
})
