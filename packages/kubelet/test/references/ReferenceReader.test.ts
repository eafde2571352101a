import { type Answer, ApiError, type ApiRequest, type Connection, ConnectionError } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { Reference } from "../../src/references/Reference.ts"
import { ReferenceReader } from "../../src/references/ReferenceReader.ts"

const apiError = (reason: string, code: number): Answer =>
  Result.fail(new ApiError({ status: { apiVersion: "v1", kind: "Status", metadata: {}, reason, code } }))

const secret: Reference = { kind: "Secret", name: "s", isOptional: false, keys: [] }
const map: Reference = { kind: "ConfigMap", name: "s", isOptional: false, keys: [] }

/** A reader whose API answers as `respond` says, or not at all. */
const setUp = (respond: (request: ApiRequest, number: number) => Answer | undefined) => {
  const { runUntil, timers } = makeVirtualTime(0)
  const sent: Array<string> = []
  const connection: Connection = {
    send: (request, reply) => {
      sent.push(`${timers.now()} ${request.kind}`)
      const answer = respond(request, sent.length)
      if (answer !== undefined) timers.after(1, () => reply(answer))
      return () => sent.push("cancelled")
    },
    watch: () => () => undefined
  }
  const reader = new ReferenceReader(connection, timers, () => true)
  const read = (references: ReadonlyArray<Reference>) => {
    const got: Array<unknown> = []
    const cancel = reader.read("default", references, (answers) => got.push(...references.map(answers)))
    return { got, cancel }
  }
  return { read, runUntil, sent }
}

describe("a reader of references", () => {
  it("asks once for an object that several ask for at a time, and anew later", () => {
    const object = { apiVersion: "v1", kind: "Secret", metadata: {} }
    const { read, runUntil, sent } = setUp(() => Result.succeed(object))
    const [first, second] = [read([secret, secret, map]), read([secret])]
    runUntil(10)
    assert.deepStrictEqual([first.got, second.got], [[object, object, object], [object]])
    read([secret])
    runUntil(20)
    assert.deepStrictEqual(sent, ["0 Secret", "0 ConfigMap", "10 Secret"])
  })

  it("waits one second for an answer", () => {
    const { read, runUntil, sent } = setUp(() => undefined)
    const { got } = read([secret])
    runUntil(999)
    assert.deepStrictEqual(got, [])
    runUntil(1_000)
    assert.deepStrictEqual([got, sent.at(-1)], [["unsynced"], "cancelled"])
  })

  it("tells what is missing from what cannot be known", () => {
    for (const [answer, expected] of [
      [apiError("NotFound", 404), "missing"],
      [apiError("InternalError", 500), "unsynced"],
      [Result.fail(new ConnectionError({ message: "cut" })), "unsynced"]
    ] as const) {
      const { read, runUntil } = setUp(() => answer)
      const { got } = read([secret])
      runUntil(10)
      assert.deepStrictEqual(got, [expected])
    }
  })

  it("asks again where it is forbidden, and then goes on without, at once from then on", () => {
    const { read, runUntil, sent } = setUp(() => apiError("Forbidden", 403))
    const first = read([secret])
    runUntil(10)
    assert.deepStrictEqual(first.got, [])
    runUntil(600)
    assert.deepStrictEqual([first.got, sent], [["unreadable"], ["0 Secret", "501 Secret"]])
    const second = read([secret])
    runUntil(601)
    assert.deepStrictEqual(second.got, ["unreadable"])
    const graph = setUp((_, number) => (number === 1 ? apiError("Forbidden", 403) : apiError("NotFound", 404)))
    const third = graph.read([secret])
    graph.runUntil(600)
    assert.deepStrictEqual(third.got, ["missing"])
  })

  it("tells nothing to who has cancelled", () => {
    const { read, runUntil } = setUp(() => apiError("NotFound", 404))
    const { cancel, got } = read([secret])
    cancel()
    runUntil(10)
    assert.deepStrictEqual(got, [])
  })
})
