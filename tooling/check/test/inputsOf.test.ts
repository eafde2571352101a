import { assert, describe, it } from "vitest"
import { makeInputs } from "../src/inputsOf.ts"
import { makeWorkspace } from "../src/Workspace.ts"

const manifest = (name: string) => JSON.stringify({ name: `@rollcall/${name}`, exports: { ".": "./src/index.ts" } })

const tree: Readonly<Record<string, string>> = {
  "packages/api/package.json": manifest("api"),
  "packages/api/src/index.ts": 'export * from "./Node.ts"\nexport { parse as parseQuantity } from "./Quantity.ts"\n',
  "packages/api/src/Node.ts": "export const nodeName = 1\n",
  "packages/api/src/Quantity.ts": 'import { digits } from "./digits.ts"\nexport const parse = digits\n',
  "packages/api/src/digits.ts": "export const digits = 1\n",
  "packages/api/test/Node.test.ts": 'import { nodeName } from "../src/index.ts"\n',
  "packages/kubelet/package.json": manifest("kubelet"),
  "packages/kubelet/src/index.ts": 'export { Kubelet } from "./Kubelet.ts"\n',
  "packages/kubelet/src/Kubelet.ts":
    'import { parseQuantity } from "@rollcall/api"\nimport type { nodeName } from "@rollcall/api"\nexport const Kubelet = parseQuantity\n',
  "packages/kubelet/test/Kubelet.test.ts":
    'import { Kubelet } from "@rollcall/kubelet"\nimport { world } from "./world.ts"\n',
  "packages/kubelet/test/world.ts": 'const vectors = new URL("../fixtures/vectors", import.meta.url)\n',
  "packages/kubelet/test/docs.test.ts": "const page = new URL('../../../docs/kubelet.md', import.meta.url)\n",
  "packages/kubelet/test/all.test.ts": 'import * as everything from "@rollcall/api"\n',
  "packages/kubelet/test/outage.test.ts": 'simulate(join(root, "examples/outage.yaml"))\n',
  "packages/kubelet/test/packages.test.ts": "readdirSync(new URL('../..', import.meta.url))\n",
  "packages/kubelet/fixtures/vectors/one.json": "{}",
  "apps/cli/package.json": manifest("cli"),
  "apps/cli/src/main.ts": 'import { Kubelet } from "@rollcall/kubelet"\nexport const apps = "apps"\n',
  "apps/cli/test/main.test.ts":
    'const main = new URL("../src/main.ts", import.meta.url)\nspawn(main, join(ROOT, "examples/layers"))\n',
  "tooling/house/package.json": manifest("house"),
  "tooling/house/src/read.ts":
    'export const members = (root: string) => ["packages", "tooling"].map((group) => readdirSync(join(root, group)))\n',
  "tooling/house/test/house.test.ts":
    'import { members } from "../src/read.ts"\nconst root = new URL("../../..", import.meta.url)\n',
  "examples/layers/cloud.ts": 'import { nodeName } from "@rollcall/api"\n',
  "examples/outage.yaml": "spec: { manifests: [manifests/web.yaml] }\n",
  "examples/manifests/web.yaml": "kind: Pod\n",
  "docs/kubelet.md": "",
  "README.md": "",
  "pnpm-lock.yaml": ""
}

const inputsOf = makeInputs(makeWorkspace(Object.keys(tree), (file) => tree[file] ?? assert.fail(`no ${file}`)))
const sources = (test: string) => [...inputsOf(test).files.keys()].filter((file) => file.endsWith(".ts")).sort()

describe("the inputs of a test", () => {
  it("are the files that declare what it imports, and not what an index exports beside them", () => {
    assert.deepStrictEqual(sources("packages/api/test/Node.test.ts"), [
      "packages/api/src/Node.ts",
      "packages/api/test/Node.test.ts"
    ])
  })

  it("follow imports through other packages, under the names that their entries give", () => {
    assert.deepStrictEqual(sources("packages/kubelet/test/Kubelet.test.ts"), [
      "packages/api/src/Quantity.ts",
      "packages/api/src/digits.ts",
      "packages/kubelet/src/Kubelet.ts",
      "packages/kubelet/test/Kubelet.test.ts",
      "packages/kubelet/test/world.ts"
    ])
  })

  it("are told with the number of imports between them and the test file", () => {
    const { files } = inputsOf("packages/kubelet/test/Kubelet.test.ts")
    const distances = ["test/Kubelet.test.ts", "src/Kubelet.ts", "test/world.ts"].map((file) =>
      files.get(`packages/kubelet/${file}`)
    )
    assert.deepStrictEqual([...distances, files.get("packages/api/src/digits.ts")], [0, 1, 1, 3])
  })

  it("are all files of an entry that is taken whole", () => {
    assert.includeMembers(sources("packages/kubelet/test/all.test.ts"), [
      "packages/api/src/index.ts",
      "packages/api/src/Node.ts",
      "packages/api/src/digits.ts"
    ])
  })

  it("are what is read by its path: a file, or all below a folder", () => {
    assert.include([...inputsOf("packages/kubelet/test/docs.test.ts").files.keys()], "docs/kubelet.md")
    assert.deepStrictEqual(
      [...inputsOf("packages/kubelet/test/Kubelet.test.ts").folders],
      ["packages/kubelet/fixtures/vectors"]
    )
  })

  it("are a folder above it that it reads", () => {
    assert.include([...inputsOf("packages/kubelet/test/packages.test.ts").folders], "packages")
  })

  it("are the files that a scenario names", () => {
    const { files } = inputsOf("packages/kubelet/test/outage.test.ts")
    assert.includeMembers([...files.keys()], ["examples/outage.yaml", "examples/manifests/web.yaml"])
  })

  it("are the sources of a program that it starts, and of those that the program is told to load", () => {
    assert.includeMembers(sources("apps/cli/test/main.test.ts"), [
      "apps/cli/src/main.ts",
      "examples/layers/cloud.ts",
      "packages/api/src/Node.ts",
      "packages/api/src/digits.ts"
    ])
  })

  it("are whole folders where tooling reads the workspace; in a program the same word is a word", () => {
    assert.includeMembers([...inputsOf("tooling/house/test/house.test.ts").folders], ["packages", "tooling"])
    assert.notInclude([...inputsOf("apps/cli/test/main.test.ts").folders], "apps")
    assert.include([...inputsOf("tooling/house/test/house.test.ts").files.keys()], "README.md")
  })

  it("are the lockfile and the entries of each package for all of them", () => {
    const { files } = inputsOf("packages/kubelet/test/Kubelet.test.ts")
    assert.includeMembers([...files.keys()], ["pnpm-lock.yaml", "packages/api/package.json#entries"])
  })
})
