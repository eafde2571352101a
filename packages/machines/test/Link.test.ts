import {
  type Answer,
  type ApiRequest,
  type Connection,
  type ConnectionError,
  cancellable,
  type WatchEvent,
  type WatchRequest,
  type WatchSink
} from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Link, makeLink } from "../src/link/Link.ts"

const request: ApiRequest = { verb: "get", kind: "Node", name: "n" }
const answer: Answer = Result.succeed("yes")
const event: WatchEvent = { type: "ADDED", object: { apiVersion: "v1", kind: "Node", metadata: { name: "n" } } }

/** A link to a server that answers at once, and whose watch events the test sends. */
const setUp = (random: () => number = () => 0.5) => {
  const time = makeVirtualTime(0)
  const arrivals: Array<number> = []
  const watches: Array<{
    readonly request: WatchRequest
    readonly emit: (batch: ReadonlyArray<WatchEvent>) => void
    readonly end: (error: ConnectionError | undefined) => void
    stopped: boolean
  }> = []
  const server: Connection = {
    send: cancellable((_, reply) => {
      arrivals.push(time.timers.now())
      reply(answer)
    }),
    watch: (asked, sink) => {
      const state = { request: asked, emit: sink.events, end: sink.end, stopped: false }
      watches.push(state)
      return () => {
        state.stopped = true
      }
    }
  }
  const link = makeLink(server, time.timers, random)
  const replies: Array<{ readonly at: number; readonly said: string }> = []
  const send = () =>
    link.connection.send(request, (result) =>
      replies.push({
        at: time.timers.now(),
        said: Result.match(result, { onSuccess: String, onFailure: (error) => error.message })
      })
    )
  const seen: Array<{ readonly at: number; readonly what: number | string }> = []
  const watch = (reopen: Pick<WatchSink, "reopen"> = {}) =>
    link.connection.watch(
      { verb: "watch", kind: "Node", resourceVersion: "1" },
      {
        ...reopen,
        events: (batch) => seen.push({ at: time.timers.now(), what: batch.length }),
        end: (error) => seen.push({ at: time.timers.now(), what: error?.message ?? "closed" })
      }
    )
  return { time, link, send, replies, arrivals, watch, watches, seen }
}

const TIMED_OUT = "net/http: request canceled (Client.Timeout exceeded)"
const CONNECTION_LOST = "http2: client connection lost"

describe("an exchange over a link", () => {
  const exchange = (ask: (answer: (text: string) => void) => void) => {
    const made = setUp()
    const said: Array<string> = []
    const begin = () =>
      made.link.exchange(30_000, ask, (text) => said.push(`${made.time.timers.now()} ${text}`), "lost")
    return { ...made, begin, said }
  }

  it("is answered once, within the call where the link is whole", () => {
    const { begin, said, time } = exchange((answer) => {
      answer("yes")
      answer("again")
    })
    begin()
    time.runUntil(60_000)
    assert.deepStrictEqual(said, ["0 yes"])
  })

  it("fails when the receiver does not answer, on a whole and on a slow link, and is not reported once it is cancelled", () => {
    const { begin, link, said, time } = exchange(() => {})
    begin()
    begin()()
    link.setLatency(1_000)
    begin()
    begin()()
    time.runUntil(29_999)
    assert.deepStrictEqual(said, [])
    time.runUntil(90_000)
    assert.deepStrictEqual(said, ["30000 lost", "30000 lost"])
  })

  it("waits for the end of a cut, up to its timeout", () => {
    const { begin, link, said, time } = exchange((answer) => answer("yes"))
    link.setCut(true)
    begin()
    time.runUntil(20_000)
    begin()
    begin()()
    time.runUntil(40_000)
    link.setCut(false)
    time.runUntil(90_000)
    assert.deepStrictEqual(said, ["30000 lost", "40000 yes"])
  })
})

describe("a whole link", () => {
  it("answers within the call", () => {
    const { replies, send } = setUp()
    send()
    assert.deepStrictEqual(replies, [{ at: 0, said: "yes" }])
  })

  it("delivers watch events within the call", () => {
    const { seen, watch, watches } = setUp()
    watch()
    watches[0]?.emit([event, event])
    assert.deepStrictEqual(seen, [{ at: 0, what: 2 }])
  })
})

describe("a cut link", () => {
  it("holds a request until it heals", () => {
    const { arrivals, link, replies, send, time } = setUp()
    link.setCut(true)
    send()
    time.runUntil(9_999)
    assert.deepStrictEqual(arrivals, [])
    link.setCut(false)
    assert.deepStrictEqual(arrivals, [9_999])
    assert.deepStrictEqual(replies, [{ at: 9_999, said: "yes" }])
    time.runUntil(60_000)
    assert.lengthOf(replies, 1)
  })

  it("fails a request at 10 s, which then never reaches the server", () => {
    const { arrivals, link, replies, send, time } = setUp()
    link.setCut(true)
    send()
    time.runUntil(9_999)
    assert.deepStrictEqual(replies, [])
    time.runUntil(10_000)
    assert.deepStrictEqual(replies, [{ at: 10_000, said: TIMED_OUT }])
    link.setCut(false)
    time.runUntil(60_000)
    assert.deepStrictEqual(arrivals, [])
    assert.lengthOf(replies, 1)
  })

  it("delivers no events while it is cut, and delivers them all if it heals in time", () => {
    const { link, seen, time, watch, watches } = setUp()
    watch()
    link.setCut(true)
    watches[0]?.emit([event])
    watches[0]?.emit([event, event])
    time.runUntil(44_999)
    assert.deepStrictEqual(seen, [])
    link.setCut(false)
    assert.deepStrictEqual(seen, [{ at: 44_999, what: 3 }])
    time.runUntil(120_000)
    assert.lengthOf(seen, 1)
  })

  it("breaks its watches after 45 s, and drops their pending events", () => {
    const { link, seen, time, watch, watches } = setUp()
    watch()
    link.setCut(true)
    watches[0]?.emit([event])
    time.runUntil(45_000)
    assert.deepStrictEqual(seen, [{ at: 45_000, what: CONNECTION_LOST }])
    assert.isTrue(watches[0]?.stopped)
    link.setCut(false)
    time.runUntil(120_000)
    assert.lengthOf(seen, 1)
  })

  it("also breaks a watch that starts while it is cut", () => {
    const { link, seen, time, watch } = setUp()
    link.setCut(true)
    time.runUntil(1_000)
    watch()
    time.runUntil(46_000)
    assert.deepStrictEqual(seen, [{ at: 46_000, what: CONNECTION_LOST }])
  })

  it("lets a watch that starts while it is cut reach the server when it heals, and once", () => {
    const { link, seen, time, watch, watches } = setUp()
    link.setCut(true)
    watch()()
    watch()
    time.runUntil(44_999)
    assert.isEmpty(watches)
    link.setCut(false)
    link.setCut(true)
    link.setCut(false)
    assert.lengthOf(watches, 1)
    watches[0]?.emit([event])
    assert.deepStrictEqual(seen, [{ at: 44_999, what: 1 }])
  })

  it("has a watch that did not reach the server go on in place, as often as its client says", () => {
    const { link, seen, time, watch, watches } = setUp()
    link.setCut(true)
    const failures: Array<string> = []
    watch({
      reopen: ({ message }) => {
        failures.push(message)
        return failures.length > 2 ? undefined : { resourceVersion: `${failures.length + 1}`, timeoutSeconds: 300 }
      }
    })
    time.runUntil(100_000)
    assert.deepStrictEqual(failures, [CONNECTION_LOST, CONNECTION_LOST])
    link.setCut(false)
    assert.deepInclude(watches[0]?.request, { resourceVersion: "3", timeoutSeconds: 300 })
    link.setCut(true)
    time.runUntil(145_000)
    assert.deepStrictEqual(seen, [{ at: 145_000, what: CONNECTION_LOST }])
  })

  it("restarts the timeout when it is cut a second time", () => {
    const { link, seen, time, watch } = setUp()
    watch()
    link.setCut(true)
    time.runUntil(30_000)
    link.setCut(false)
    link.setCut(true)
    time.runUntil(74_999)
    assert.deepStrictEqual(seen, [])
    time.runUntil(75_000)
    assert.deepStrictEqual(seen, [{ at: 75_000, what: CONNECTION_LOST }])
  })

  it("delivers nothing to a watch that its owner has ended", () => {
    const { link, seen, time, watch, watches } = setUp()
    const stop = watch()
    link.setCut(true)
    watches[0]?.emit([event])
    stop()
    link.setCut(false)
    time.runUntil(60_000)
    assert.deepStrictEqual(seen, [])
    assert.isTrue(watches[0]?.stopped)
  })

  it("forwards the end of a watch by the server", () => {
    const { seen, time, watch, watches } = setUp()
    watch()
    watches[0]?.end(undefined)
    time.runUntil(60_000)
    assert.deepStrictEqual(seen, [{ at: 0, what: "closed" }])
  })
})

describe("a slow link", () => {
  it("takes half of the latency in each direction", () => {
    const { arrivals, link, replies, send, time } = setUp()
    link.setLatency(800)
    send()
    time.runUntil(2_000)
    assert.deepStrictEqual(arrivals, [400])
    assert.deepStrictEqual(replies, [{ at: 800, said: "yes" }])
  })

  it("delivers watch events half a latency late, in their order also when it becomes fast", () => {
    const { link, seen, time, watch, watches } = setUp()
    watch()
    link.setLatency(800)
    watches[0]?.emit([event])
    time.runUntil(100)
    link.setLatency(0)
    watches[0]?.emit([event, event])
    time.runUntil(2_000)
    assert.deepStrictEqual(
      seen.map(({ what }) => what),
      [1, 2]
    )
  })

  it("fails requests when a round trip takes longer than the client's timeout", () => {
    const { link, replies, send, time } = setUp()
    link.setLatency(30_000)
    send()
    time.runUntil(60_000)
    assert.deepStrictEqual(replies, [{ at: 10_000, said: TIMED_OUT }])
  })
})

describe("a lossy link", () => {
  it("sends again after 200 ms, 400 ms, …", () => {
    const chances = [0.1, 0.2, 0.9]
    const { arrivals, link, replies, send, time } = setUp(() => chances.shift() ?? 1)
    link.setLoss(0.3)
    send()
    time.runUntil(5_000)
    assert.deepStrictEqual(arrivals, [600])
    assert.deepStrictEqual(replies, [{ at: 600, said: "yes" }])
  })

  it("fails a request when every packet is lost", () => {
    const { arrivals, link, replies, send, time } = setUp(() => 0)
    link.setLoss(1)
    send()
    time.runUntil(60_000)
    assert.deepStrictEqual(arrivals, [])
    assert.deepStrictEqual(replies, [{ at: 10_000, said: TIMED_OUT }])
  })
})

const step = fc.oneof(
  fc.record({ kind: fc.constant("send" as const), by: fc.constant(0) }),
  fc.record({ kind: fc.constant("emit" as const), by: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constantFrom("cut" as const, "heal" as const), by: fc.constant(0) }),
  fc.record({ kind: fc.constant("latency" as const), by: fc.constantFrom(0, 50, 3_000, 25_000) }),
  fc.record({ kind: fc.constant("loss" as const), by: fc.constantFrom(0, 0.3, 1) })
)
const pause = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 15_000 }))
const steps = fc.array(fc.tuple(pause, step), { maxLength: 40 })

describe("for any changes of a link", () => {
  it("each request gets one answer within 10 s, and reaches the server at most once", () => {
    fc.assert(
      fc.property(steps, fc.integer(), (given, seed) => {
        let state = seed
        const { arrivals, link, time } = setUp(() => {
          state = (Math.imul(state, 1_103_515_245) + 12_345) | 0
          return (state >>> 8) / 0x1000000
        })
        const asked: Array<{ readonly at: number; readonly answers: Array<number> }> = []
        for (const [pause, { by, kind }] of given) {
          time.runUntil(time.timers.now() + pause)
          if (kind === "cut" || kind === "heal") link.setCut(kind === "cut")
          else if (kind === "latency") link.setLatency(by)
          else if (kind === "loss") link.setLoss(by)
          else if (kind === "send") {
            const question = { at: time.timers.now(), answers: [] as Array<number> }
            asked.push(question)
            link.connection.send(request, () => question.answers.push(time.timers.now()))
          }
        }
        time.runUntil(time.timers.now() + 10_000)
        for (const { answers, at } of asked) {
          assert.lengthOf(answers, 1)
          assert.isAtMost((answers[0] ?? 0) - at, 10_000)
        }
        time.runUntil(time.timers.now() + 100_000)
        assert.isTrue(asked.every(({ answers }) => answers.length === 1))
        assert.isAtMost(arrivals.length, asked.length)
      }),
      { numRuns: 300 }
    )
  })

  it("a request in flight arrives although its sender gave up, and is not sent again", () => {
    const given = (disturb: (link: Link) => void) => {
      const { arrivals, link, time } = setUp()
      link.setLatency(100)
      const answers: Array<number> = []
      const cancel = link.connection.send(request, () => answers.push(time.timers.now()))
      time.runUntil(time.timers.now() + 10)
      cancel()
      disturb(link)
      time.runUntil(time.timers.now() + 60_000)
      link.setCut(false)
      time.runUntil(time.timers.now() + 60_000)
      assert.deepStrictEqual(answers, [])
      return arrivals.length
    }
    assert.strictEqual(
      given(() => {}),
      1
    )
    assert.strictEqual(
      given((link) => link.setCut(true)),
      0
    )
  })

  it("a watch delivers every event once and in order, or ends; and delivers nothing after its end", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { link, time } = setUp()
        const sinks: Array<(batch: ReadonlyArray<WatchEvent>) => void> = []
        let sent = 0
        const got: Array<string> = []
        let ends = 0
        const numbered = (number: number): WatchEvent => ({
          type: "MODIFIED",
          object: { apiVersion: "v1", kind: "Node", metadata: { name: String(number) } }
        })
        const direct: Connection = {
          send: cancellable(() => {}),
          watch: (_, sink) => {
            sinks.push(sink.events)
            return () => {
              sinks.length = 0
            }
          }
        }
        const own = makeLink(direct, time.timers, () => 0.5)
        own.connection.watch(
          { verb: "watch", kind: "Node" },
          {
            events: (batch) => {
              assert.strictEqual(ends, 0)
              for (const change of batch) if (change.type !== "ERROR") got.push(change.object.metadata.name ?? "")
            },
            end: () => ends++
          }
        )
        for (const [pause, { by, kind }] of given) {
          time.runUntil(time.timers.now() + pause)
          if (kind === "cut" || kind === "heal") own.setCut(kind === "cut")
          else if (kind === "latency") own.setLatency(by)
          else if (kind === "emit") sinks[0]?.(Array.from({ length: by }, () => numbered(sent++)))
        }
        own.setCut(false)
        link.setCut(false)
        time.runUntil(time.timers.now() + 100_000)
        assert.isAtMost(ends, 1)
        assert.deepStrictEqual(
          got,
          got.map((_, index) => String(index))
        )
        if (ends === 0) assert.lengthOf(got, sent)
      }),
      { numRuns: 300 }
    )
  })
})
