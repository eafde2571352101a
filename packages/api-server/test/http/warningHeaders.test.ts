import { assert, describe, it } from "vitest"
import { warningHeaders } from "../../src/http/call/respond.ts"

const lengths = (headers: ReadonlyArray<string>) => headers.map((header) => header.length - '299 - ""'.length)

describe("warningHeaders", () => {
  it("quotes texts, sends each once, and none that is empty or has control characters", () => {
    assert.deepStrictEqual(warningHeaders(['a "b" \\', "", "c", "c", "d\u0007"]), [
      '299 - "a \\"b\\" \\\\"',
      '299 - "c"'
    ])
  })

  it("sends texts of up to 4,096 characters in total unchanged", () => {
    const texts = ["a".repeat(4000), "b".repeat(96)]
    assert.deepStrictEqual(lengths(warningHeaders(texts)), [4000, 96])
  })

  it("truncates each to 256 characters beyond that, and omits what exceeds 4,096", () => {
    assert.deepStrictEqual(lengths(warningHeaders(["a".repeat(4000), "b".repeat(97), "c"])), [256, 97, 1])
    assert.deepStrictEqual(lengths(warningHeaders(["x".repeat(3_000_000)])), [256])
    const many = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, "0").padEnd(300, "x"))
    const cut = lengths(warningHeaders(many))
    assert.strictEqual(cut.length, 16)
    assert.deepStrictEqual(new Set(cut), new Set([256]))
  })

  it("counts characters, not bytes, and cuts between them", () => {
    const [header = ""] = warningHeaders(["\u{1f600}".repeat(5000)])
    const text = Buffer.from(header, "latin1").toString()
    assert.strictEqual(text, `299 - "${"\u{1f600}".repeat(256)}"`)
  })

  it("sends earlier texts again when the total is exceeded", () => {
    const texts = Array.from({ length: 17 }, (_, index) => String(index).padStart(2, "0").padEnd(256, "x"))
    assert.strictEqual(warningHeaders(texts).length, 17)
  })
})
