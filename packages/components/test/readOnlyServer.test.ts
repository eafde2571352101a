import { it } from "@effect/vitest"
import type { Kubelet } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { readOnlyServer } from "../src/serving/kubelet/readOnlyServer.ts"

const serve: Kubelet["serve"] = ({ isReadOnly, method, path, query }) => ({
  code: path === "/pods" ? 200 : 405,
  contentType: "text/plain",
  body: `${method} ${path} ${query.get("a")} ${isReadOnly}`
})

const get = (port: number, path: string, method = "GET") =>
  Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return [answer.status, await answer.text()] as const
  })

describe("the read-only port of a kubelet", () => {
  it.live("answers everybody, and says that it is read-only", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* readOnlyServer({
          kubelet: { name: "n1", running: true, serve },
          host: "127.0.0.1",
          port: 0,
          pages: { "/metrics": () => ({ type: "text/plain", body: "metrics" }) }
        })
        assert.deepStrictEqual(yield* get(port, "/pods?a=b"), [200, "GET /pods b true"])
        assert.deepStrictEqual(yield* get(port, "/metrics"), [200, "metrics"])
        assert.deepStrictEqual(yield* get(port, "/exec/default/a/c", "POST"), [
          405,
          "POST /exec/default/a/c undefined true"
        ])
      })
    )
  )

  it.live("fails on a port that is taken", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kubelet = { name: "n1", running: true, serve }
        const port = yield* readOnlyServer({ kubelet, host: "127.0.0.1", port: 0 })
        const failed = yield* Effect.flip(readOnlyServer({ kubelet, host: "127.0.0.1", port }))
        assert.include(failed.message, "--read-only-port")
      })
    )
  )
})
