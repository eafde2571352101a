import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { parseEnvFile } from "../../src/references/envFile.ts"

const read = (text: string, key = "KEY"): string =>
  Result.match(parseEnvFile(text, key), { onFailure: (problem) => `! ${problem}`, onSuccess: (value) => value })

const at = (line: number, why: string) => `! invalid environment variable format at line ${line}: ${why}`

describe("an environment file", () => {
  it("gives the first value of a variable, between single quotes", () => {
    assert.strictEqual(read("# c\n\n  OTHER='x'\nKEY='a b=$c' # why\nKEY='later'\n"), "a b=$c")
    assert.strictEqual(read("KEY='one\n\ntwo'\r\n"), "one\n\ntwo")
    assert.strictEqual(read("A='KEY=1\nKEY='\nKEY='v'"), "v")
    assert.strictEqual(read("A='1'\n"), "")
    assert.strictEqual(read("KEY= 'v'\n"), "")
    assert.strictEqual(read("KEY=''\n"), "")
    assert.strictEqual(read(""), "")
  })

  it("is refused as the kubelet refuses it, up to the variable that is looked for", () => {
    assert.strictEqual(read("A='1'\nKEY\n"), at(2, "missing '='"))
    assert.strictEqual(read("='1'"), at(1, "empty variable name"))
    assert.strictEqual(read("KEY ='1'"), at(1, "whitespace before '=' is not allowed"))
    assert.strictEqual(read("A=1\nKEY='v'"), at(1, "value must be enclosed in single quotes"))
    assert.strictEqual(read("A='1\n2' x\nKEY='v'"), at(2, "unexpected content after closing quote"))
    assert.strictEqual(
      read("\nA='1\n2"),
      "! invalid environment variable format starting at line 2: unclosed single quote"
    )
    assert.strictEqual(read(`A='${"x".repeat(65_536)}'\nKEY='v'`), "! bufio.Scanner: token too long")
    assert.strictEqual(read("KEY='v'\nnonsense"), "v")
  })
})
