import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8")

const page = read("docs/how-to/add-a-kind.md")
const quotes = [...page.matchAll(/<!-- from: (\S+) -->\n```\w+\n(.*?)\n```\n/gs)].map(([, path = "", text = ""]) => ({
  path,
  text
}))

describe("docs/how-to/add-a-kind.md", () => {
  it("quotes the code", () => {
    assert.strictEqual(quotes.length, page.split("```").length >> 1)
    for (const { path, text } of quotes) assert.include(read(path), `${text}\n`, path)
  })

  it("counts its lines, which are less than 150", () => {
    const lines = quotes.reduce((sum, { text }) => sum + text.split("\n").length, 0)
    assert.include(page, `This page adds IngressClass, in ${lines} lines,`)
    assert.isBelow(lines + 8, 150)
  })
})
