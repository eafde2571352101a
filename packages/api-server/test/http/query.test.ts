import { assert, describe, it } from "@effect/vitest"
import { InvalidParameter, Query } from "../../src/http/request/Query.ts"

const refusalOf = (read: () => unknown): string | undefined => {
  try {
    read()
    return undefined
  } catch (error) {
    return error instanceof InvalidParameter ? error.status.message : undefined
  }
}

describe("a query", () => {
  it("has the pairs that Go keeps", () => {
    const query = new Query("a=1&a=2&&b&c=x+y%2B&d=%zz&%e=1&f;g=1&h=i=j")
    assert.deepStrictEqual(
      [...query.byName()],
      [
        ["a", ["1", "2"]],
        ["b", [""]],
        ["c", ["x y+"]],
        ["h", ["i=j"]]
      ]
    )
    assert.isTrue(new Query("").empty)
    assert.isTrue(new Query("a&".repeat(10_000)).empty, "Go reads none of too many")
  })

  it("has bytes that are no UTF-8, however they are written", () => {
    assert.strictEqual(new Query("a=%c3%a9").text("a"), "é")
    assert.strictEqual(new Query("a=\u00c3\u00a9").text("a"), "é")
    assert.strictEqual(new Query("a=%ff\u00fe%C3%A9").text("a"), "\udcff\udcfeé")
    const message = (text: string) => refusalOf(() => new Query(text).integer("limit"))
    assert.strictEqual(message("limit=%ff"), 'strconv.ParseInt: parsing "\\xff": invalid syntax')
    assert.strictEqual(message("limit=%C3%A9"), 'strconv.ParseInt: parsing "é": invalid syntax')
  })
})
