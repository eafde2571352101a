import { assert, describe, it } from "@effect/vitest"
import { ConnectionError } from "@rollcall/cluster"
import type { FetchedToken, RawAnswer, RawRequest } from "@rollcall/kube-client"
import * as Result from "effect/Result"
import { accountTokens } from "../src/clients/accountTokens.ts"

const START_MS = Date.UTC(2026, 0, 1)
const ACCOUNTS = "/api/v1/namespaces/kube-system/serviceaccounts"

/** Fetches a token from a server that answers with these codes, in order; pauses pass at once. */
const fetchFrom = (codes: ReadonlyArray<number>, expirationTimestamp = "2026-01-01T01:00:00Z") => {
  const asked: Array<string> = []
  const pauses: Array<number> = []
  const failures: Array<string> = []
  const answers = [...codes]
  let taken: Result.Result<FetchedToken, ConnectionError> | undefined
  const raw = (
    { body, method, path }: RawRequest,
    reply: (answer: Result.Result<RawAnswer, ConnectionError>) => void
  ) => {
    asked.push(`${method} ${path}`)
    const code = answers.shift()
    if (code === undefined) reply(Result.fail(new ConnectionError({ message: "refused" })))
    else if (code === 201 && path.endsWith("/token")) {
      assert.deepInclude(JSON.parse(String(body)), { spec: { expirationSeconds: 3600 } })
      reply(
        Result.succeed({ code, headers: {}, body: JSON.stringify({ status: { token: "t", expirationTimestamp } }) })
      )
    } else reply(Result.succeed({ code, headers: {}, body: "text" }))
    return () => undefined
  }
  const after = (ms: number, callback: () => void) => {
    pauses.push(ms)
    callback()
    return 0
  }
  const timers = { now: () => START_MS, after } as never
  const failed = (what: string, why: string) => void failures.push(`${what}: ${why}`)
  accountTokens("job-controller", { connection: { raw }, timers, failed })((fetched) => {
    taken = fetched
  })
  return { asked, failures, pauses, taken }
}

describe("the token of a controller's service account", () => {
  it("is asked for an hour, and replaced after four fifths of it", () => {
    const { asked, taken } = fetchFrom([200, 201])
    assert.deepStrictEqual(asked, [`GET ${ACCOUNTS}/job-controller`, `POST ${ACCOUNTS}/job-controller/token`])
    assert.deepStrictEqual(taken, Result.succeed({ token: "t", refreshAtMs: START_MS + 48 * 60_000 }))
  })

  it("lasts ten minutes at least, whatever the clocks", () => {
    const { taken } = fetchFrom([200, 201], "2025-12-31T23:00:00Z")
    assert.deepStrictEqual(taken, Result.succeed({ token: "t", refreshAtMs: START_MS + 8 * 60_000 }))
  })

  it("comes with an account that is made if there is none", () => {
    const { asked } = fetchFrom([404, 201, 201])
    assert.strictEqual(asked[1], `POST ${ACCOUNTS}`)
    assert.isTrue(Result.isSuccess(fetchFrom([404, 409, 201]).taken ?? assert.fail()))
  })

  it("is asked four times, with longer and longer pauses", () => {
    const { failures, pauses, taken } = fetchFrom([200, 403, 403])
    assert.deepStrictEqual(pauses, [500, 1000, 2000])
    assert.deepStrictEqual(failures, [
      "get token failed: the API server answered 403: text",
      "get or create service account failed: the API server answered 403: text",
      "get or create service account failed: refused",
      "get or create service account failed: refused"
    ])
    const message = "failed to get token for kube-system/job-controller: refused"
    assert.deepStrictEqual(taken, Result.fail(new ConnectionError({ message })))
    assert.isTrue(Result.isSuccess(fetchFrom([200, 500, 200, 201]).taken ?? assert.fail()))
  })
})
