import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { publishedFolders } from "@rollcall/house/packages"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { type Candidate, REPOSITORY, releaseProblems } from "../src/publish/releaseProblems.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (file: string) => readFileSync(join(root, file), "utf8")

const manifest = {
  name: "@rollcall/one",
  version: "0.2.0",
  license: "Apache-2.0",
  description: "one",
  homepage: "https://one",
  bugs: "https://bugs",
  engines: { node: ">=24" },
  repository: { url: REPOSITORY, directory: "packages/one" },
  publishConfig: { access: "public", provenance: true },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
  dependencies: { "@rollcall/two": "^0.2.0", yaml: "2.9.1" }
}
const candidate: Candidate = {
  packed: manifest,
  folder: "packages/one",
  files: ["LICENSE", "README.md", "package.json", "dist/index.d.ts", "dist/index.js"],
  changelog: "# @rollcall/one\n\n## 0.2.0\n\n- First.\n"
}

describe("a package that is checked for a release", () => {
  it("may be published when nothing is missing", () => assert.deepStrictEqual(releaseProblems(candidate, "0.2.0"), []))

  it("may not be published when something is wrong or missing", () => {
    const packed = (more: object) => ({ packed: { ...manifest, ...more } })
    const wrong: ReadonlyArray<readonly [problem: string, change: Partial<Candidate>]> = [
      ["has version 0.1.0, not 0.2.0", packed({ version: "0.1.0" })],
      ["is private", packed({ private: true })],
      ["publishConfig.access is not public", packed({ publishConfig: { provenance: true } })],
      ["publishConfig.provenance is not true", packed({ publishConfig: { access: "public" } })],
      ["has license MIT, not Apache-2.0", packed({ license: "MIT" })],
      [`repository.url is not ${REPOSITORY}, which provenance compares`, packed({ repository: undefined })],
      ["repository.directory is not packages/one", packed({ repository: { url: REPOSITORY } })],
      ["has no description", packed({ description: undefined })],
      ["contains no LICENSE", { files: ["README.md"] }],
      ["contains no dist/index.js", { files: ["LICENSE", "README.md", "package.json", "dist/index.d.ts"] }],
      ["depends on effect by catalog:", packed({ dependencies: { effect: "catalog:" } })],
      ["depends on rollcall ^0.1.0, not ^0.2.0", packed({ peerDependencies: { rollcall: "^0.1.0" } })],
      ["CHANGELOG.md has no 0.2.0", { changelog: "# @rollcall/one\n\n## 0.2.0-rc.1\n" }]
    ]
    for (const [problem, change] of wrong)
      assert.include(releaseProblems({ ...candidate, ...change }, "0.2.0"), `@rollcall/one: ${problem}`)
  })
})

describe("the next release", () => {
  it("breaks no promise: no changeset asks for a major version, and all packages share one", () => {
    for (const file of readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md")))
      assert.notMatch(read(join(".changeset", file)), /^"?[@\w/-]+"?: major$/m, file)
    const [fixed = []] = JSON.parse(read(".changeset/config.json")).fixed
    const names = publishedFolders(root).map(
      (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).name
    )
    assert.deepStrictEqual(
      names.filter((name: string) => !fixed.includes(name) && !name.startsWith("@rollcall/")),
      []
    )
  })
})

describe("the workflows", () => {
  for (const file of globSync(".github/workflows/*.yml", { cwd: root }).sort()) {
    const { jobs, permissions } = parse(read(file))
    const steps: ReadonlyArray<{ readonly uses?: string; readonly run?: string }> = Object.values<{ steps: [] }>(
      jobs
    ).flatMap((job) => job.steps)

    it(`${file}: may only read unless a job says more, and names each action by its commit`, () => {
      assert.deepStrictEqual(permissions, { contents: "read" })
      const loose = steps.flatMap(({ uses }) => (uses === undefined || /@[0-9a-f]{40}$/.test(uses) ? [] : [uses]))
      assert.deepStrictEqual(loose, [])
    })

    it(`${file}: runs what the repository has, with its pnpm`, () => {
      const { packageManager, scripts } = JSON.parse(read("package.json"))
      for (const { run = "" } of steps) {
        const [, script] = /^npm run (\S+)/.exec(run) ?? []
        if (script !== undefined) assert.property(scripts, script)
        if (run.startsWith("npx ")) assert.include(run, `npx -y ${packageManager} `)
        if (run.startsWith("./")) assert.isTrue(existsSync(join(root, run)), run)
      }
    })
  }
})
