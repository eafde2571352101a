import { assert, describe, it } from "@effect/vitest"
import { deleteQuery, Query } from "../../src/http/request/Query.ts"

const preconditionsOf = (text: string) => {
  const options = deleteQuery(new Query(text))
  return "preconditions" in options ? options.preconditions : undefined
}

describe("the query of a delete", () => {
  it("has the preconditions of options, also those of a collection's list, unless they are empty", () => {
    assert.deepStrictEqual(preconditionsOf("resourceVersion=0"), { resourceVersion: "0" })
    assert.deepStrictEqual(preconditionsOf("uid=u&resourceVersion=7"), { uid: "u", resourceVersion: "7" })
    assert.deepStrictEqual(preconditionsOf("uid=u&resourceVersion="), { uid: "u" })
    assert.isUndefined(preconditionsOf("uid=&resourceVersion="))
  })
})
