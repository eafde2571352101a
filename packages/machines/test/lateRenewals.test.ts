import { type Connection, type LateBookmark, nextWatchOrder, type WatchSink } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { makeLink } from "../src/link/Link.ts"
import { makeServerGate } from "../src/ServerGate.ts"

/** A server that lets the first watch go on without asking, and tells it when it is to settle. */
const setUp = () => {
  const time = makeVirtualTime(0)
  const sinks: Array<WatchSink> = []
  const server: Connection = {
    send: () => () => {},
    watch: (_, sink) => {
      sinks.push(sink)
      return () => {}
    }
  }
  const ended: Array<string> = []
  const open = (connection: Connection, name: string) =>
    connection.watch(
      { verb: "watch", kind: "Node" },
      {
        events: () => {},
        end: () => ended.push(name),
        bookmarks: { attached: () => true, told: () => {} },
        renewals: { random: () => 0, timeoutSecondsOf: () => 300, renewed: () => {} }
      }
    )
  /** Opens two watches; the first goes on after the second was opened, and is told late. */
  const openTwo = (connection: Connection) => {
    open(connection, "first")
    open(connection, "second")
    const order = nextWatchOrder()
    const settle = () => sinks[0]?.renewals?.renewed({ revision: 7, atMs: 1000, order })
    const late: LateBookmark = { settle, wake: settle }
    assert.isTrue(sinks[0]?.bookmarks?.attached(late))
  }
  return { ended, openTwo, server, time }
}

describe("a watch that is told late that it went on", () => {
  it("is ended after those that were opened before that, when the server goes down", () => {
    const { ended, openTwo, server, time } = setUp()
    const gate = makeServerGate(time.timers)
    openTwo(gate.wrap(server))
    gate.setDown(true)
    time.runUntil(1)
    assert.deepStrictEqual(ended, ["second", "first"])
  })

  it("breaks after those that were opened before that, when the link is cut", () => {
    const { ended, openTwo, server, time } = setUp()
    const link = makeLink(server, time.timers, () => 0)
    openTwo(link.connection)
    link.setCut(true)
    time.runUntil(60_000)
    assert.deepStrictEqual(ended, ["second", "first"])
  })
})
