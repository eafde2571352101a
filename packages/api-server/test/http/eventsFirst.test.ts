import { ServerResponse } from "node:http"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const autoscaler = (maxReplicas: number) => ({
  metadata: { name: "a" },
  spec: { maxReplicas, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } }
})

/** The objects of a kind before and after an update; the second kind is served as a view of another version. */
const cases = [
  ["/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } }, { metadata: { name: "a" }, data: { a: "" } }],
  ["/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", autoscaler(1), autoscaler(2)]
] as const

describe("the events of a write", () => {
  afterEach(() => void vi.restoreAllMocks())

  it.live.each(cases)("are sent to a watch before the writer has its answer: %s", ([PATH, before, after]) =>
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
      yield* ask("POST", PATH, { body: before })
      yield* ask("PUT", `${PATH}/a`, { body: after })
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
