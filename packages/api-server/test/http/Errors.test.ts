import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { type HandleError, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbox } from "../../src/http/wire/Outbox.ts"
import { type Answer, type RunningServer, startServer, wallClock } from "./startServer.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const PANICKED = "This request caused apiserver to panic. Look in the logs for details."

const fail = (what: string): never => {
  throw new Error(what)
}

/** The wall clock, and what callbacks threw: source and message. */
const recordErrors = Effect.map(Effect.context<Timers>(), (context) => {
  const errors: Array<readonly [string, string]> = []
  const handleError: HandleError = (source, error) =>
    errors.push([source, error instanceof Error ? error.message : String(error)])
  return { errors, context, handleError }
})

/** A test with a server whose errors are noted. */
const withServer = (
  options: Parameters<typeof startServer>[0],
  test: (live: RunningServer, errors: ReadonlyArray<readonly [string, string]>) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const { errors, handleError } = yield* recordErrors
    const timers = { ...(yield* Timers), handleError }
    yield* Effect.flatMap(startServer(options), (served) => test(served, errors)).pipe(
      Effect.provide(Layer.succeed(Timers, timers))
    )
  }).pipe(Effect.scoped, Effect.provide(wallClock))

const codeAndMessage = (answer: Answer) => [answer.code, answer.json?.message]

/** An object whose JSON cannot be made, put into the store in process. */
const createUnprintable = ({ server }: RunningServer, name: string) =>
  Effect.callback<void>((resume) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { toJSON: () => fail("toJSON") } }
    server
      .connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
      .send({ verb: "create", kind: "ConfigMap", namespace: "default", object: object as unknown as KubeObject }, () =>
        resume(Effect.void)
      )
  })

const lines = ({ stream }: RunningServer, path: string) => {
  const got: Array<string> = []
  const ended = { is: false }
  const cut = stream(path, {
    line: (line) => got.push(line),
    end: () => {
      ended.is = true
    }
  })
  return { got, ended, cut }
}

const waitUntil = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), waitUntil(isSo))))

describe("over HTTP, an exception", () => {
  it.live("in a port is answered with 500, logged and counted, and the next request is served", () =>
    withServer(
      {
        authorizer: {
          rulesFor: () => fail("rules"),
          authorize: ({ resource }) => (resource === "nodes" ? fail("authorizer") : { decision: "Allow", reason: "" })
        }
      },
      ({ ask }, errors) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(codeAndMessage(yield* ask("GET", "/api/v1/nodes")), [500, PANICKED])
          assert.strictEqual((yield* ask("GET", CONFIGMAPS)).code, 200)
          assert.deepStrictEqual(errors, [["http request", "authorizer"]])
        })
    )
  )

  it.live("before a response cuts the request off, and the next is served", () => {
    let ids = 0
    return withServer({ makeId: () => (ids++ === 0 ? fail("id") : "id") }, ({ ask, stream }, errors) =>
      Effect.gen(function* () {
        let isCut = false
        stream("/livez", {
          line: () => undefined,
          end: () => {
            isCut = true
          }
        })
        yield* waitUntil(() => isCut)
        assert.strictEqual((yield* ask("GET", "/livez")).body, "ok")
        assert.deepStrictEqual(errors, [["http request", "id"]])
      })
    )
  })

  it.live("while a response is encoded is answered with 500, in every media type", () =>
    withServer({}, (served, errors) =>
      Effect.gen(function* () {
        yield* createUnprintable(served, "odd")
        const headers = { accept: "application/yaml" }
        assert.deepStrictEqual(codeAndMessage(yield* served.ask("GET", `${CONFIGMAPS}/odd`)), [500, PANICKED])
        assert.deepStrictEqual(codeAndMessage(yield* served.ask("GET", `${CONFIGMAPS}/odd`, { headers })), [
          500,
          PANICKED
        ])
        assert.strictEqual((yield* served.ask("GET", "/api/v1/nodes")).code, 200)
        assert.deepStrictEqual(errors, [
          ["http request", "toJSON"],
          ["http request", "toJSON"]
        ])
      })
    )
  )

  it.live(
    "while an event is encoded ends that watch with an error, and affects neither others of its kind nor the server",
    () =>
      withServer({}, (served, errors) =>
        Effect.gen(function* () {
          const whole = lines(served, `${CONFIGMAPS}?watch=1`)
          const others = lines(served, `${CONFIGMAPS}?watch=1&fieldSelector=metadata.name%21%3Dodd`)
          yield* waitUntil(() => served.server.registry.kinds.ConfigMap.cache.size >= 0)
          yield* Effect.sleep("50 millis")
          yield* createUnprintable(served, "odd")
          yield* waitUntil(() => whole.ended.is)
          yield* served.ask("POST", CONFIGMAPS, { body: { metadata: { name: "b" } } })
          yield* waitUntil(() => others.got.length > 0)
          assert.strictEqual(JSON.parse(whole.got.at(-1) ?? "{}").type, "ERROR")
          assert.strictEqual(JSON.parse(others.got[0] ?? "{}").object.metadata.name, "b")
          assert.deepStrictEqual(errors, [["watch", "toJSON"]])
          others.cut()
        })
      )
  )

  it.live("while a metric is read is answered with 500", () => {
    return withServer({ processMetrics: () => fail("gauge") }, ({ ask }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(codeAndMessage(yield* ask("GET", "/metrics")), [500, PANICKED])
        assert.strictEqual((yield* ask("GET", "/livez")).body, "ok")
      })
    )
  })

  it.live("while a watch is sent delays none of the others of its round, nor the next round", () =>
    Effect.gen(function* () {
      const { errors, handleError } = yield* recordErrors
      const outbox = new Outbox({ ...(yield* Timers), handleError })
      const sent: Array<string> = []
      outbox.add({ flush: () => fail("flush") })
      outbox.add({ flush: () => sent.push("a") })
      yield* waitUntil(() => sent.length === 1)
      outbox.add({ flush: () => sent.push("b") })
      yield* waitUntil(() => sent.length === 2)
      assert.deepStrictEqual(errors, [["watch stream", "flush"]])
    }).pipe(Effect.provide(wallClock))
  )
})

describe("over HTTP, an unprintable kind", () => {
  it.live("is omitted from discovery, is any object in OpenAPI, and prevents no response", () =>
    withServer({}, ({ ask, server: { registry } }, errors) =>
      Effect.gen(function* () {
        const { definition } = registry.kinds.Lease
        Object.defineProperty(registry.kinds.Lease, "definition", {
          value: {
            ...definition,
            resource: {
              ...definition.resource,
              get categories(): ReadonlyArray<string> {
                return fail("categories")
              }
            },
            get message() {
              return fail("message")
            }
          }
        })
        // A kind that comes has all paths made anew.
        registry.observe(() => undefined)
        yield* ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
          body: {
            metadata: { name: "dials.example.com" },
            spec: {
              group: "example.com",
              scope: "Namespaced",
              names: { plural: "dials", kind: "Dial" },
              versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
            }
          }
        })
        yield* waitUntil(() => registry.kind("Dial.example.com/v1" as never) !== undefined)
        const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        const discovery = yield* ask("GET", "/apis", { headers: { accept } })
        assert.strictEqual(discovery.code, 200)
        assert.include(discovery.body, '"dials"')
        assert.notInclude(discovery.body, '"leases"')
        const group = yield* ask("GET", "/apis/coordination.k8s.io/v1")
        assert.deepStrictEqual([group.code, group.body.includes('"leases"')], [200, false])
        for (const path of ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/example.com/v1"]) {
          assert.strictEqual((yield* ask("GET", path)).code, 200, path)
        }
        assert.includeMembers(
          errors.map(([source]) => source),
          ["discovery", "openapi"]
        )
      })
    )
  )
})
