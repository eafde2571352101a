import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { type ManifestReading, pollManifests } from "../../src/host/index.ts"

const URL = "http://manifests.example/pods"
const pod = (name: string) =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"containers":[{"name":"m","image":"i"}]}}`

/** A web server that gives these responses in turn, and the requests that it got. */
const server = (answers: ReadonlyArray<readonly [status: number, body: string]>) => {
  const asked: Array<string | undefined> = []
  const client = HttpClient.make((request) => {
    asked.push(request.headers["metadata-flavor"])
    const [status, body] = answers[Math.min(asked.length, answers.length) - 1] ?? [500, ""]
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status })))
  })
  return { asked, client }
}

const namesAndProblems = ({ manifests, problems }: ManifestReading) => [
  manifests.map((each) => each.pod.metadata.name),
  problems.map(({ message }) => message)
]

describe("a web server of manifests", () => {
  it.effect("is polled, and a changed response is reported", () =>
    Effect.gen(function* () {
      const { asked, client } = server([
        [200, pod("a")],
        [200, pod("a")],
        [503, "later"],
        [200, "nonsense: ["],
        [200, ""],
        [200, pod("b")]
      ])
      const readings: Array<ManifestReading> = []
      const fiber = yield* pollManifests({
        url: URL,
        headers: { "Metadata-Flavor": "Google" },
        checkEveryMs: 20_000
      }).pipe(
        Stream.runForEach((reading) => Effect.sync(() => readings.push(reading))),
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.forkScoped
      )
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(readings.map(namesAndProblems), [[["a"], []]])
      assert.deepStrictEqual(readings[0]?.manifests[0]?.source, URL)
      assert.deepStrictEqual(readings[0]?.manifests[0]?.kind, "http")
      yield* TestClock.adjust(19_999)
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust(100_001)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(new Set(asked), new Set(["Google"]))
      assert.strictEqual(asked.length, 7)
      const [, refused, nonsense, empty, last] = readings.map(namesAndProblems)
      assert.deepStrictEqual(refused, [["a"], [`${URL}: 503`]])
      assert.deepStrictEqual(nonsense?.[0], ["a"])
      assert.deepStrictEqual(empty, [[], [`zero-length data received from ${URL}`]])
      assert.deepStrictEqual(last, [["b"], []])
      assert.strictEqual(readings.length, 5)
    })
  )

  it.effect("is read only up to the size limit of a manifest", () =>
    Effect.gen(function* () {
      const chunk = new Uint8Array(1024 * 1024).fill(32)
      let pulled = 0
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulled++
            controller.enqueue(chunk)
          }
        })
      const client = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(endless())))
      )
      const [reading] = yield* pollManifests({ url: URL, checkEveryMs: 20_000 }).pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provideService(HttpClient.HttpClient, client)
      )
      assert.deepStrictEqual(reading && namesAndProblems(reading), [[], ["the read limit is reached"]])
      assert.isBelow(pulled, 20)
    })
  )
})
