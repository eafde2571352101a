import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inOrder } from "../../src/patch/listOrder.ts"

const elements = (names: ReadonlyArray<string>) => names.map((name) => ({ name }))
/** More elements than the shortcuts for short lists take, only on the server. */
const tail = elements(Array.from({ length: 20 }, (_, index) => `tail-${index}`))

describe("inOrder", () => {
  it("orders a short list as a long one", () => {
    const names = fc.shuffledSubarray(["a", "b", "c", "d", "e", "f", "g"])
    fc.assert(
      fc.property(names, names, (server, patch) => {
        const patched = elements(patch)
        const stored = elements(server)
        const merged = [...stored, ...patched.filter(({ name }) => !server.includes(name))]
        const long = inOrder([...merged, ...tail], patched, [...stored, ...tail], "name")
        const short = inOrder(merged, patched, stored, "name")
        assert.deepStrictEqual(
          short,
          long.filter((element) => !(tail as ReadonlyArray<unknown>).includes(element))
        )
      }),
      { numRuns: 500 }
    )
  })
})
