import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { readPrograms } from "../src/programs.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))

const withConfigs = <A>(configs: Readonly<Record<string, unknown>>, use: (root: string) => A): A => {
  const root = mkdtempSync(join(tmpdir(), "programs-"))
  try {
    for (const [path, config] of Object.entries(configs)) {
      const folder = join(root, path, "..")
      for (const name of ["src", "test"]) mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(root, path), JSON.stringify(config))
    }
    return use(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

const base = "../../tsconfig.base.json"

describe("readPrograms", () => {
  it("joins configurations with the same options, inherited ones included", () => {
    const configs = {
      "packages/a/tsconfig.json": { extends: base, include: ["src"] },
      "packages/a/tsconfig.test.json": {
        extends: base,
        compilerOptions: { types: ["node"] },
        include: ["src", "test"]
      },
      "packages/b/tsconfig.json": { extends: base, compilerOptions: { types: ["node"] }, include: ["src"] },
      "packages/b/tsconfig.test.json": { extends: "./tsconfig.json", include: ["src", "test"] },
      "packages/b/tsconfig.build.json": { extends: "./tsconfig.json", compilerOptions: { noEmit: false }, include: [] },
      "apps/c/tsconfig.json": { extends: base, compilerOptions: { types: [] }, include: ["src"] }
    }
    assert.deepStrictEqual(withConfigs(configs, readPrograms), [
      { options: { types: [] }, include: ["apps/c/src", "packages/a/src"] },
      {
        options: { types: ["node"] },
        include: ["packages/a/src", "packages/a/test", "packages/b/src", "packages/b/test"]
      }
    ])
  })

  it("covers the sources and tests of every package of this workspace", () => {
    const included = new Set(readPrograms(ROOT).flatMap(({ include }) => include))
    const missing = ["packages", "apps", "tooling"].flatMap((group) =>
      readdirSync(join(ROOT, group)).flatMap((name) =>
        ["src", "test"]
          .filter((folder) => readdirSync(join(ROOT, group, name)).includes(folder))
          .map((folder) => `${group}/${name}/${folder}`)
          .filter((folder) => !included.has(folder))
      )
    )
    assert.deepStrictEqual(missing, [])
  })
})
