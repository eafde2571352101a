import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type ApiRequest, Cluster, type Connection, cancellable, rateLimited, type WatchSink } from "../src/index.ts"

const START = 1_767_225_600_000

const request = (name: string): ApiRequest => ({ verb: "get", kind: "Node", name })

const sink = { events: () => {}, end: () => {} }

const makeRateLimited = (qps: number, burst: number) => {
  const time = makeVirtualTime(START)
  const sent: Array<{ readonly name: string; readonly at: number }> = []
  const below: Connection = {
    send: cancellable((asked, reply) => {
      sent.push({ name: "name" in asked ? (asked.name ?? "") : asked.verb, at: time.timers.now() - START })
      reply(Result.succeed({}))
    }),
    watch: () => {
      sent.push({ name: "watch", at: time.timers.now() - START })
      return () => sent.push({ name: "cancelled", at: time.timers.now() - START })
    }
  }
  return { time, sent, below, limited: rateLimited(below, { qps, burst, timers: time.timers }) }
}

describe("rateLimited", () => {
  it("sends a burst at once and the rest at the rate, in order", () => {
    const { limited, sent, time } = makeRateLimited(20, 30)
    let answered = 0
    for (let n = 0; n < 100; n++) limited.send(request(`${n}`), () => answered++)
    assert.strictEqual(answered, 30)
    assert.strictEqual(limited.waiting(), 70)
    time.runUntil(START + 10_000)
    assert.deepStrictEqual(
      sent.map(({ name }) => name),
      Array.from({ length: 100 }, (_, n) => `${n}`)
    )
    for (const [n, { at }] of sent.entries()) assert.approximately(at, Math.max(0, n - 29) * 50, 0.001)
    assert.strictEqual(limited.waiting(), 0)
  })

  it("renews a watch in place only if its token is available at once, and takes it", () => {
    const { below, time } = makeRateLimited(1, 2)
    const requests: Array<unknown> = []
    let renew: WatchSink["renew"]
    let renewals: WatchSink["renewals"]
    const connection: Connection = {
      ...below,
      watch: (_, given) => {
        renew = given.renew
        renewals = given.renewals
        return () => {}
      }
    }
    const onRequest = (asked: unknown, waitMs: number) => requests.push([asked, waitMs])
    const limited = rateLimited(connection, { qps: 1, burst: 2, timers: time.timers, onRequest })
    const renewal = { resourceVersion: "7", timeoutSeconds: 300 }
    const watched = { verb: "watch", kind: "Node" } as const
    const unasked = { random: () => 0, timeoutSecondsOf: () => 300, renewed: () => {} }
    limited.watch(watched, { ...sink, renew: () => renewal, renewals: unasked })
    assert.isUndefined(renewals)
    assert.deepStrictEqual(renew?.(), renewal)
    assert.isUndefined(renew?.())
    time.runUntil(START + 1000)
    assert.deepStrictEqual(renew?.(), renewal)
    const renewed = [{ ...watched, ...renewal }, 0]
    assert.deepStrictEqual(requests, [[watched, 0], renewed, renewed])
  })

  it("never exceeds burst + qps * t in any interval, loses no request and keeps the order", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 200, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(2000), { minLength: 1, maxLength: 120 }),
        (qps, burst, gaps) => {
          const { limited, sent, time } = makeRateLimited(qps, burst)
          let now = START
          for (const [n, gap] of gaps.entries()) {
            now += gap % 7 === 0 ? 0 : gap / 10
            time.runUntil(now)
            limited.send(request(`${n}`), () => {})
          }
          time.runUntil(now + 300_000)
          assert.deepStrictEqual(
            sent.map(({ name }) => name),
            gaps.map((_, n) => `${n}`)
          )
          for (let from = 0; from < sent.length; from++) {
            for (let to = from; to < sent.length; to++) {
              const span = ((sent[to]?.at ?? 0) - (sent[from]?.at ?? 0)) / 1000
              // A token may come a nanosecond early, and the clock has steps of 0.25 µs.
              assert.isTrue(to - from + 1 <= burst + qps * (span + 1e-6) + 1e-6)
            }
          }
        }
      )
    )
  })

  it("counts watches, and opens no watch that was cancelled while it waited", () => {
    const { limited, sent, time } = makeRateLimited(1, 1)
    const first = limited.watch({ verb: "watch", kind: "Node" }, sink)
    limited.watch({ verb: "watch", kind: "Node" }, sink)()
    const third = limited.watch({ verb: "watch", kind: "Node" }, sink)
    time.runUntil(START + 5000)
    first()
    third()
    assert.deepStrictEqual(sent, [
      { name: "watch", at: 0 },
      { name: "watch", at: 2000 },
      { name: "cancelled", at: 5000 },
      { name: "cancelled", at: 5000 }
    ])
  })

  it("does not limit at a rate of 0 or less", () => {
    const { limited, sent } = makeRateLimited(-1, 1)
    for (let n = 0; n < 50; n++) limited.send(request(`${n}`), () => {})
    assert.strictEqual(sent.length, 50)
  })

  it("as a layer drops waiting requests when it closes", () => {
    const { below, sent, time } = makeRateLimited(1, 1)
    const program = Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* cluster.get("Node", { name: "a" })
      yield* cluster.get("Node", { name: "b" }).pipe(Effect.timeout("500 millis"), Effect.ignore)
    }).pipe(
      Effect.provide(Cluster.layerRateLimited({ qps: 1, burst: 1 }).pipe(Layer.provide(Cluster.layerConnection(below))))
    )
    time.fork(program)
    time.runUntil(START + 10_000)
    assert.deepStrictEqual(sent, [{ name: "a", at: 0 }])
  })
})
