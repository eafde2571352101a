import { EventEmitter } from "node:events"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import {
  BODY_OVERHEAD_BYTES,
  BodyBuffer,
  type BodyProblem,
  BodyReader,
  type Exchange
} from "../../src/http/wire/BodyReader.ts"
import { type BodyLimits, bodyDeadlineMs, defaultBodyLimits } from "../../src/http/wire/bodyLimits.ts"

const START = Date.UTC(2026, 0, 1)

/** A request that a test sends piece by piece. */
const exchange = (headers: Readonly<Record<string, string>> = {}) => {
  const request = Object.assign(new EventEmitter(), {
    headers,
    rawHeaders: [],
    socket: {},
    destroyed: false,
    aborted: false
  })
  const cut = () => {
    request.destroyed = true
  }
  const made = { request: Object.assign(request, { destroy: cut }), response: { destroy: () => {} } }
  return { request, exchange: made as unknown as Exchange }
}

const reader = (limits: Partial<BodyLimits> = {}) => {
  const time = makeVirtualTime(START)
  const bodies = new BodyReader(time.timers, { ...defaultBodyLimits, ...limits })
  const begin = (user: string, headers?: Readonly<Record<string, string>>) => {
    const { exchange: under, request } = exchange(headers)
    const replies: Array<string | BodyProblem> = []
    const releases: Array<() => void> = []
    bodies.read(under, user, (body, release) => {
      replies.push(body.toString())
      releases.push(release)
    })
    return { request, replies, releases, send: (text: string) => request.emit("data", Buffer.from(text)) }
  }
  return { time, bodies, begin }
}

describe("bodyDeadlineMs", () => {
  const deadline = (received: number) => bodyDeadlineMs(defaultBodyLimits, 0, received)

  it("gives a stalled body its grace, one at the minimum rate more, and none more than the deadline", () => {
    assert.strictEqual(deadline(0), 10_000)
    assert.strictEqual(deadline(4096), 11_000)
    assert.strictEqual(deadline(50 * 4096), 60_000)
    assert.strictEqual(deadline(3 * 1024 * 1024), 60_000)
  })
})

describe("BodyBuffer", () => {
  it("returns the chunks in their order, and a single one unchanged", () => {
    const only = Buffer.from("only")
    const one = new BodyBuffer()
    one.add(only)
    assert.strictEqual(one.whole(), only)
    const many = new BodyBuffer()
    for (const piece of ["a", "b".repeat(5000), "c"]) many.add(Buffer.from(piece))
    assert.strictEqual(many.whole().toString(), `a${"b".repeat(5000)}c`)
  })

  it("uses at most twice the received size, in however many chunks", () => {
    const buffer = new BodyBuffer()
    for (let count = 0; count < 100_000; count++) buffer.add(Buffer.from("x"))
    assert.strictEqual(buffer.size, 100_000)
    assert.isAtMost(buffer.capacity, 200_000)
  })
})

describe("BodyReader", () => {
  it("takes a body that came with its request at once, within the same limits", () => {
    const { bodies } = reader({ bytes: 10, userBytes: 2 * BODY_OVERHEAD_BYTES + 10 })
    const replies: Array<string> = []
    const releases: Array<() => void> = []
    const take = (text: string) => {
      const { exchange: under } = exchange()
      const whole = Object.assign(under.request, { whole: Buffer.from(text) })
      bodies.read({ ...under, request: whole }, "alice", (body, release) => {
        replies.push(body.toString())
        releases.push(release)
      })
    }
    take("x".repeat(11))
    assert.strictEqual(bodies.heldBytes, 0)
    take("body")
    take("more")
    assert.strictEqual(bodies.heldBytes, 2 * BODY_OVERHEAD_BYTES + 8)
    take("third")
    for (const release of releases) release()
    take("")
    assert.deepStrictEqual(replies, ["tooLarge", "body", "more", "tooMany", ""])
    assert.deepStrictEqual([bodies.count, bodies.heldBytes], [0, BODY_OVERHEAD_BYTES])
  })

  it("answers once, when the body is complete, and charges for it until it is released", () => {
    const { begin, bodies } = reader()
    const { releases, replies, request, send } = begin("alice")
    send("a")
    send("b")
    assert.deepStrictEqual(replies, [])
    assert.isAbove(bodies.heldBytes, BODY_OVERHEAD_BYTES)
    request.emit("end")
    request.emit("error")
    assert.deepStrictEqual([replies, bodies.count], [["ab"], 0])
    assert.isAbove(bodies.heldBytes, BODY_OVERHEAD_BYTES)
    for (const release of [...releases, ...releases]) release()
    assert.strictEqual(bodies.heldBytes, 0)
  })

  it("counts complete bodies that wait, and refuses new ones when they use too much", () => {
    const { begin, bodies } = reader({ totalBytes: 3 * BODY_OVERHEAD_BYTES })
    const waiting = [begin("alice"), begin("alice"), begin("alice")]
    for (const { request } of waiting) request.emit("end")
    const late = begin("bob")
    assert.deepStrictEqual(late.replies, ["tooMany"])
    for (const { releases } of waiting) releases[0]?.()
    assert.strictEqual(bodies.heldBytes, 0)
    assert.deepStrictEqual(begin("bob").replies, [])
  })

  it("refuses too large bodies by their announced or their received size", () => {
    const { begin } = reader({ bytes: 3 })
    assert.deepStrictEqual(begin("alice", { "content-length": "4" }).replies, ["tooLarge"])
    const { replies, send } = begin("alice")
    send("abc")
    assert.deepStrictEqual(replies, [])
    send("d")
    assert.deepStrictEqual(replies, ["tooLarge"])
  })

  it("refuses a body at its deadline, and closes the connection of a client that keeps sending", () => {
    const { begin, bodies, time } = reader()
    const { replies, request } = begin("alice")
    // It is first looked at after a second.
    time.runUntil(START + 10_999)
    assert.deepStrictEqual(replies, [])
    time.runUntil(START + 11_000)
    assert.deepStrictEqual([replies, request.destroyed, bodies.heldBytes], [["tooSlow"], false, 0])
    time.runUntil(START + 16_000)
    assert.deepStrictEqual([request.destroyed, bodies.count], [true, 0])
  })

  it("treats an aborted request as broken, though it ends", () => {
    const { begin } = reader()
    const { replies, request, send } = begin("alice")
    send("half")
    request.aborted = true
    request.emit("end")
    assert.deepStrictEqual(replies, ["broken"])
  })

  it("limits the memory of one user", () => {
    const { begin, bodies } = reader({ userBytes: 3 * BODY_OVERHEAD_BYTES })
    const replies = [begin("alice"), begin("alice"), begin("alice"), begin("alice"), begin("bob")].map(
      (one) => one.replies
    )
    assert.deepStrictEqual(replies, [[], [], [], ["tooMany"], []])
    assert.strictEqual(bodies.heldBytes, 4 * BODY_OVERHEAD_BYTES)
  })

  it("drops a body of the user with the most memory at the limit of all users", () => {
    const { begin } = reader({ totalBytes: 5 * BODY_OVERHEAD_BYTES })
    const [small, large, ...rest] = [begin("bob"), begin("bob"), begin("carol"), begin("alice")]
    large?.send("x".repeat(2000))
    for (const { replies } of [small, large, ...rest]) assert.deepStrictEqual(replies, [])
    const newcomer = begin("dave")
    assert.deepStrictEqual(
      [small, large, ...rest, newcomer].map((one) => one?.replies),
      [[], ["tooMany"], [], [], []]
    )
  })
})
