import { assert, describe, it } from "vitest"
import { describeRest, describeSelection, type SelectOptions, selectTests, type TestFile } from "../src/selection.ts"

const test = (file: string, files: ReadonlyArray<string>, folders: ReadonlyArray<string> = []): TestFile => ({
  file,
  files: new Map([[file, 0], ...files.map((input, index) => [input, index + 1] as const)]),
  folders: new Set(folders),
  digest: `digest of ${file}`
})

const api = test("packages/api/test/Node.test.ts", ["packages/api/src/Node.ts"])
const kubelet = test(
  "packages/kubelet/test/Kubelet.test.ts",
  ["packages/api/src/Node.ts"],
  ["packages/kubelet/fixtures"]
)
const live = test("tooling/live/test/outage.test.ts", ["packages/api/src/Node.ts"])

const select = (changed: ReadonlyArray<string> | undefined, options: Partial<SelectOptions> = {}) => {
  const selection = selectTests({
    tests: [api, kubelet, live],
    changed: changed === undefined ? undefined : new Set(changed),
    passed: new Map(),
    slow: new Set([live.file]),
    durations: new Map(),
    budgetMs: 60_000,
    ...options
  })
  return { ...selection, files: selection.run.map(({ file }) => file) }
}

describe("the tests that a change selects", () => {
  it("are those with a changed input", () => {
    assert.deepStrictEqual(select([]).files, [])
    assert.deepStrictEqual(select(["packages/api/src/other.ts"]).files, [])
    assert.deepStrictEqual(select(["packages/api/test/Node.test.ts"]).files, [api.file])
    assert.deepStrictEqual(select(["packages/api/src/Node.ts"]).files, [api.file, kubelet.file])
  })

  it("are those that read a folder in which a file is changed, new or gone", () => {
    assert.deepStrictEqual(select(["packages/kubelet/fixtures/vectors/gone.json"]).files, [kubelet.file])
    assert.deepStrictEqual(select(["packages/kubelet/fixtures.json"]).files, [])
  })

  it("do not run again once they have passed with the same inputs", () => {
    const passed = new Map([[api.file, api.digest]])
    assert.deepStrictEqual(select(["packages/api/src/Node.ts"], { passed }).files, [kubelet.file])
    passed.set(api.file, "another digest")
    assert.deepStrictEqual(select(["packages/api/src/Node.ts"], { passed }).files, [api.file, kubelet.file])
  })

  it("leave slow ones to the whole suite, but for a change in their own package", () => {
    assert.deepStrictEqual(select(["packages/api/src/Node.ts"]).slow, [
      { file: live.file, because: "packages/api/src/Node.ts" }
    ])
    assert.sameMembers(select([live.file, "packages/api/src/Node.ts"]).files, [api.file, kubelet.file, live.file])
  })

  it("are the nearest in other packages, as long as their time allows", () => {
    const far = test("packages/simulator/test/run.test.ts", [
      "packages/kubelet/src/Kubelet.ts",
      "packages/api/src/Node.ts"
    ])
    const options = { tests: [far, kubelet, api], budgetMs: 7000, durations: new Map([[kubelet.file, 3000]]) }
    const { far: left, files } = select(["packages/api/src/Node.ts"], options)
    assert.deepStrictEqual(files, [api.file, kubelet.file, far.file])
    assert.deepStrictEqual(left, [])
    const short = select(["packages/api/src/Node.ts"], { ...options, budgetMs: 6000 })
    assert.deepStrictEqual(short.files, [api.file, kubelet.file])
    assert.deepStrictEqual(short.far, [{ file: far.file, because: "packages/api/src/Node.ts" }])
    const own = select(["packages/api/src/Node.ts"], { ...options, budgetMs: 0 })
    assert.deepStrictEqual(own.files, [api.file])
    assert.strictEqual(describeRest(own), "2 test files remain: run pnpm check again")
    assert.strictEqual(describeRest({ ...own, far: [] }), "no test file remains but slow ones")
  })

  it("are all of them where there is no main branch to compare with", () => {
    assert.deepStrictEqual(select(undefined).files, [api.file, kubelet.file, live.file])
  })

  it("are told with the reasons", () => {
    assert.strictEqual(
      describeSelection(select(["packages/kubelet/fixtures/a.json", "packages/api/src/Node.ts"]), 3),
      [
        "tests: the changes reach 2 of 3 test files",
        "  1 test file: packages/api/src/Node.ts",
        "  1 test file: packages/kubelet/fixtures/a.json",
        "left to npm test, as they are slow: tooling/live/test/outage.test.ts"
      ].join("\n")
    )
    assert.strictEqual(
      describeSelection(select(["packages/api/src/Node.ts"], { budgetMs: 0 }), 3),
      [
        "tests: the changes reach 2 of 3 test files; the nearest 1 run",
        "  2 test files: packages/api/src/Node.ts",
        "left to npm test, as they are slow: tooling/live/test/outage.test.ts"
      ].join("\n")
    )
  })
})
