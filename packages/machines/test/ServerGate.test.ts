import { type Answer, type ApiRequest, type Connection, type ConnectionError, cancellable } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { makeServerGate } from "../src/ServerGate.ts"

const request: ApiRequest = { verb: "get", kind: "Node", name: "n" }
const REFUSED = "connect: connection refused"

const setUp = () => {
  const time = makeVirtualTime(0)
  let open = 0
  let endFromServer: (error: ConnectionError | undefined) => void = () => {}
  const server: Connection = {
    send: cancellable((_, reply) => reply(Result.succeed("yes"))),
    watch: (_, sink) => {
      open++
      endFromServer = sink.end
      return () => {
        open--
      }
    }
  }
  const gate = makeServerGate(time.timers)
  const connection = gate.wrap(server)
  const said: Array<string> = []
  const note = (result: Answer) =>
    said.push(Result.match(result, { onSuccess: String, onFailure: (error) => error.message }))
  const send = () => connection.send(request, note)
  const watch = () =>
    connection.watch(
      { verb: "watch", kind: "Node" },
      { events: () => said.push("events"), end: (error) => said.push(error?.message ?? "closed") }
    )
  const settle = () => time.runUntil(time.timers.now() + 1)
  return { gate, send, watch, said, settle, open: () => open, endFromServer: () => endFromServer(undefined) }
}

describe("an API server that goes down", () => {
  it("answers while it is up, refuses while it is down, answers again", () => {
    const { gate, said, send } = setUp()
    send()
    gate.setDown(true)
    send()
    gate.setDown(false)
    send()
    assert.deepStrictEqual(said, ["yes", REFUSED, "yes"])
  })

  it("breaks all watches, once, and not within the call that brings it down", () => {
    const { gate, open, said, settle, watch } = setUp()
    watch()
    watch()
    gate.setDown(true)
    assert.deepStrictEqual(said, [])
    settle()
    gate.setDown(true)
    settle()
    assert.deepStrictEqual(said, [REFUSED, REFUSED])
    assert.strictEqual(open(), 0)
  })

  it("refuses a new watch after it has returned", () => {
    const { gate, open, said, settle, watch } = setUp()
    gate.setDown(true)
    watch()
    assert.deepStrictEqual(said, [])
    settle()
    assert.deepStrictEqual(said, [REFUSED])
    assert.strictEqual(open(), 0)
  })

  it("delivers nothing to watches that their owners have ended", () => {
    const { gate, open, said, settle, watch } = setUp()
    watch()()
    gate.setDown(true)
    watch()()
    settle()
    assert.deepStrictEqual(said, [])
    assert.strictEqual(open(), 0)
  })

  it("does not end a watch twice that the server has ended", () => {
    const { endFromServer, gate, said, settle, watch } = setUp()
    watch()
    endFromServer()
    gate.setDown(true)
    settle()
    assert.deepStrictEqual(said, ["closed"])
  })
})
