import { assert, describe, it } from "@effect/vitest"
import { ConnectionError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { fetchedTokens } from "../src/auth/fetchedTokens.ts"
import type { FetchedToken } from "../src/index.ts"

const make = () => {
  let now = 0
  const fetches: Array<(fetched: Result.Result<FetchedToken, ConnectionError>) => void> = []
  const used: Array<string> = []
  const credentials = fetchedTokens((take) => void fetches.push(take), { now: () => now })
  return {
    used,
    fetches,
    credentials,
    passTo: (ms: number) => {
      now = ms
    },
    use: () =>
      credentials.use((got) =>
        used.push(Result.isSuccess(got) ? (got.success.headers.authorization ?? "") : got.failure.message)
      ),
    succeed: (token: string, refreshAtMs: number) => fetches.at(-1)?.(Result.succeed({ token, refreshAtMs })),
    fail: () => fetches.at(-1)?.(Result.fail(new ConnectionError({ message: "no token" })))
  }
}

describe("fetched tokens", () => {
  it("are fetched once for all requests, until it is time for the next one", () => {
    const { fetches, passTo, succeed, use, used } = make()
    use()
    use()
    succeed("a", 100)
    use()
    assert.deepStrictEqual([fetches.length, used], [1, ["Bearer a", "Bearer a", "Bearer a"]])
    passTo(100)
    use()
    succeed("b", 200)
    assert.deepStrictEqual([fetches.length, used.at(-1)], [2, "Bearer b"])
  })

  it("stay in use while no other can be fetched; without one, the request fails", () => {
    const { fail, passTo, succeed, use, used } = make()
    use()
    fail()
    use()
    succeed("a", 100)
    passTo(100)
    use()
    fail()
    assert.deepStrictEqual(used, ["no token", "Bearer a", "Bearer a"])
  })

  it("are fetched anew after the server rejected the current one", () => {
    const { credentials, fetches, succeed, use } = make()
    use()
    succeed("a", 100)
    credentials.rejected({ headers: { authorization: "Bearer old" } })
    use()
    assert.strictEqual(fetches.length, 1)
    credentials.use((got) => {
      if (Result.isSuccess(got)) credentials.rejected(got.success)
    })
    use()
    assert.strictEqual(fetches.length, 2)
  })
})
