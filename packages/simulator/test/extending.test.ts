import { readFileSync } from "node:fs"
import * as Exit from "effect/Exit"
import { assert, describe, it } from "vitest"
import { runExample } from "./extending.ts"

const page = readFileSync(new URL("../../../docs/extending.md", import.meta.url), "utf8")
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map((match) => match[1] ?? "")

describe("docs/extending.md", () => {
  it("contains the complete program beside this test", () => {
    assert.strictEqual(blocks("ts").join("\n"), readFileSync(new URL("extending.ts", import.meta.url), "utf8"))
  })

  it("contains the output of that program", () => {
    const lines: Array<string> = []
    assert.isTrue(Exit.isSuccess(runExample((line) => lines.push(`${line}\n`))))
    assert.deepStrictEqual([lines.join("")], blocks("text"))
  })
})
