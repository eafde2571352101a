import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { flag } from "../src/index.ts"
import { readFlagList } from "../src/settings/index.ts"

const flags = {
  "max-pods": flag.integer(110, "how many pods may run", { bits: 32 }),
  "register-node": flag.boolean(true, "register the node"),
  taints: flag.texts("taints of the node"),
  "cluster-domain": { ...flag.text("", "the cluster's domain"), inert: true as const }
}

const read = (...words: ReadonlyArray<string>) =>
  readFlagList("kubelet", flags, { file: "s.yaml", path: "spec.flags.kubelet" }, words)
const readOrThrow = (...words: ReadonlyArray<string>) => Result.getOrThrow(read(...words))
const refusal = (...words: ReadonlyArray<string>) => Result.getOrThrow(Result.flip(read(...words)))

describe("flags listed in a file", () => {
  it("are read like the words of a command line", () => {
    const values = { "max-pods": 31, "register-node": true, taints: ["a", "b,c", "d"] }
    const taints = ['--taints=a,"b,c"', "--taints", "d"]
    for (const words of [
      ["--max-pods=0x1f", "--register-node", ...taints],
      ["--max_pods", "31", ...taints, "--register-node=T"]
    ]) {
      assert.deepStrictEqual(readOrThrow(...words).values, values)
    }
  })

  it("have only the values and paths of flags that are given", () => {
    const { paths, values, warnings } = readOrThrow("--max-pods", "5", "--register-node=false", "--max-pods=6")
    assert.deepStrictEqual(values, { "max-pods": 6, "register-node": false })
    assert.deepStrictEqual(Object.fromEntries(paths), {
      "max-pods": "spec.flags.kubelet[3]",
      "register-node": "spec.flags.kubelet[2]"
    })
    assert.isEmpty(warnings)
  })

  it.each([
    [
      ["--max-pods=5", "--max-pds=5"],
      's.yaml: spec.flags.kubelet[1]: unknown flag: --max-pds; did you mean "--max-pods"?'
    ],
    [["--max-pods 5"], 's.yaml: spec.flags.kubelet[0]: unknown flag: --max-pods 5; did you mean "--max-pods"?'],
    [
      ["--register-node", "--max-pods", "many"],
      's.yaml: spec.flags.kubelet[1]: invalid argument "many" for "--max-pods" flag: strconv.ParseInt: parsing "many": invalid syntax; expected a whole number of at most 32 bits'
    ],
    [
      ["--max-pods"],
      "s.yaml: spec.flags.kubelet[0]: flag needs an argument: --max-pods; expected a whole number of at most 32 bits"
    ],
    [["--register-node", "false"], 's.yaml: spec.flags.kubelet[1]: kubelet does not take any arguments, got ["false"]'],
    [["--help"], "s.yaml: spec.flags.kubelet: --help is only for the command line"]
  ] as const)("%j are refused", (words, message) => {
    assert.strictEqual(refusal(...words).message, message)
  })

  it("carry what was found and expected in the error", () => {
    const [problem] = refusal("--max-pods=many").problems
    assert.deepInclude(problem, {
      path: "spec.flags.kubelet[0]",
      found: "many",
      expected: "a whole number of at most 32 bits"
    })
    assert.strictEqual(refusal("--max-pds=5").problems[0]?.nearest, "--max-pods")
  })

  it("are named in a warning when they have no effect, with or without a value of their own", () => {
    const { values, warnings } = readOrThrow("--unheard-of", "1", "--cluster-domain=x", "--max-pods=5", "--xyzzy=2")
    assert.deepStrictEqual(values, { "cluster-domain": "x", "max-pods": 5 })
    assert.deepStrictEqual(warnings, [
      "s.yaml: spec.flags.kubelet[0]: --unheard-of is not supported and has no effect",
      "s.yaml: spec.flags.kubelet[2]: --cluster-domain is not supported and has no effect",
      "s.yaml: spec.flags.kubelet[4]: --xyzzy is not supported and has no effect"
    ])
  })
})
