import { commandHelp } from "@rollcall/flags"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { kubectlVerbs, readVerb } from "../src/kubectl.ts"
import { verbs } from "../src/verbs.ts"

const refusal = (...argv: ReadonlyArray<string>) => {
  const read = readVerb(argv)
  return Result.isFailure(read) ? read.failure.text : assert.fail("accepted")
}

describe("help", () => {
  for (const [name, verb] of Object.entries(verbs)) {
    it(`says of ${name} what each flag does`, () => {
      const help = commandHelp(verb, `rollcall ${name}`)
      assert.include(help, `Usage:\n  rollcall ${name} `)
      assert.include(help, `Examples:\n  rollcall ${name} `)
      const flags = help.split("\n").filter((line) => /^ {2,6}(-\w, )?--/.test(line))
      assert.isAtLeast(flags.length, 10)
      for (const line of flags) assert.match(line, /^ {2,6}(-\w, )?--\S+( \w+(\[="\w+"\])?)? {2,}\S/)
    })
  }

  it("is asked for by a flag, not by what stands behind --", () => {
    const asked = (...argv: ReadonlyArray<string>) => Result.getOrThrow(readVerb(argv)).help
    assert.isTrue(asked("get", "pods", "-h"))
    assert.isFalse(asked("get", "pods", "--", "--help"))
  })
})

describe("a command line", () => {
  it("says which cluster, and as whom, wherever that stands", () => {
    const { args } = Result.getOrThrow(
      readVerb([
        "get",
        "--kubeconfig=/k",
        "pods",
        "--context",
        "c",
        "-nx",
        "-s",
        "url",
        "--as=ann",
        "--as-group",
        "a,b"
      ])
    )
    assert.deepStrictEqual(args.positional, ["pods"])
    const texts = ["kubeconfig", "context", "namespace", "server", "as"].map((name) => args.text(name))
    assert.deepStrictEqual(texts, ["/k", "c", "x", "url", "ann"])
    assert.deepStrictEqual(args.texts("as-group"), ["a,b"])
  })

  it("is refused in kubectl's own words, with no advice that kubectl does not give", () => {
    assert.strictEqual(refusal("dance"), 'error: unknown command "dance" for "kubectl"')
    assert.isAtLeast(kubectlVerbs.length, 11)
    for (const name of kubectlVerbs) {
      const see = `\nSee 'kubectl ${name} --help' for usage.`
      assert.strictEqual(refusal(name, "--namespac=x"), `error: unknown flag: --namespac${see}`)
      assert.strictEqual(refusal(name, "-Znx"), `error: unknown shorthand flag: 'Z' in -Znx${see}`)
      assert.strictEqual(refusal(name, "-n"), `error: flag needs an argument: 'n' in -n${see}`)
      assert.strictEqual(
        refusal(name, "-v=loud"),
        `error: invalid argument "loud" for "-v, --v" flag: strconv.ParseInt: parsing "loud": invalid syntax${see}`
      )
    }
  })
})
