import { ServerResponse } from "node:http"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const PATH = "/api/v1/namespaces/default/configmaps"

const configMap = (text: string) => ({ metadata: { name: "a" }, data: { text } })

describe("the events of a write", () => {
  afterEach(() => void vi.restoreAllMocks())

  it.live("are sent to a watch before the writer has its answer", () =>
    Effect.gen(function* () {
      const { ask, stream } = yield* startServer()
      const stop = stream(`${PATH}?watch=true`, { line: () => undefined, end: () => undefined })
      yield* Effect.sleep("50 millis")
      const written: Array<string> = []
      for (const name of ["write", "end"] as const) {
        const send = ServerResponse.prototype[name] as (...data: ReadonlyArray<unknown>) => unknown
        vi.spyOn(ServerResponse.prototype, name).mockImplementation(function (
          this: ServerResponse,
          ...data: ReadonlyArray<unknown>
        ) {
          written.push(`${this.req.method} ${this.req.url}`)
          return Reflect.apply(send, this, data) as never
        })
      }
      yield* ask("POST", PATH, { body: configMap("1") })
      yield* ask("PUT", `${PATH}/a`, { body: configMap("2") })
      yield* ask("DELETE", `${PATH}/a`)
      stop()
      const watched = `GET ${PATH}?watch=true`
      assert.deepStrictEqual(written.slice(0, 6), [
        watched,
        `POST ${PATH}`,
        watched,
        `PUT ${PATH}/a`,
        watched,
        `DELETE ${PATH}/a`
      ])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
