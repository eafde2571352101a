import type { Node } from "@rollcall/api"
import type { Connection, HeartbeatLane, HeartbeatOwner, LateBookmark, ReportOwner, WatchSink } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { type Link, makeLink } from "../src/link/Link.ts"

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
const times = { intervalMs: 10_000, jitterMs: 0, seed: 0 }

/** A link whose renewals are in columns; they look at the link when they leave. */
const setUp = () => {
  const time = makeVirtualTime(0)
  /** For each time that the columns were left, whether the link still passed. */
  const left: Array<boolean> = []
  const lane: HeartbeatLane = {
    enterRenewals: () => ({ make: () => {}, leave: () => left.push(passes()), cancel: () => {} }),
    enterReports: () => ({ make: () => {}, leave: () => left.push(passes()), cancel: () => {} }),
    postHeartbeats: (_, next) => next,
    leaveAll: () => {}
  }
  const sinks: Array<WatchSink> = []
  const watch: Connection["watch"] = (_, sink) => {
    sinks.push(sink)
    return () => {}
  }
  const server: Connection = { send: () => () => {}, watch, heartbeats: lane }
  const link: Link = makeLink(server, time.timers, () => 0.5)
  const passes = (): boolean => link.connection.heartbeats?.postHeartbeats(node, node) !== undefined
  const enter = () => link.connection.heartbeats?.enterRenewals({ name: "n" } as HeartbeatOwner, times)
  /** Opens a watch that takes bookmarks late. Returns whether it is offered them, and whether the link passed when they were told. */
  const follow = () => {
    const told: Array<boolean> = []
    const late: LateBookmark = { settle: () => {}, wake: () => told.push(passes()) }
    const bookmarks = { attached: () => true, told: () => {} }
    link.connection.watch({ verb: "watch", kind: "Node" }, { events: () => {}, end: () => {}, bookmarks })
    return { told, offer: () => sinks.at(-1)?.bookmarks?.attached(late) }
  }
  const enterReports = () => link.connection.heartbeats?.enterReports({ name: "n" } as ReportOwner)
  return { enter, enterReports, follow, left, link, passes, sinks, time }
}

const disturbances: Readonly<Record<string, (link: Link) => void>> = {
  "is cut": (link) => link.setCut(true),
  "gets slow": (link) => link.setLatency(500),
  "gets lossy": (link) => link.setLoss(0.1)
}

describe("a link with renewals in columns", () => {
  for (const [change, disturb] of Object.entries(disturbances)) {
    it(`takes them back before it ${change}, and lets no heartbeat pass then`, () => {
      const { enter, left, link, passes } = setUp()
      assert.isDefined(enter())
      assert.isTrue(passes())
      disturb(link)
      assert.deepStrictEqual(left, [true])
      assert.isFalse(passes())
      assert.isUndefined(enter())
    })

    it(`takes reports back before it ${change}`, () => {
      const { enterReports, left, link } = setUp()
      assert.isDefined(enterReports())
      disturb(link)
      assert.deepStrictEqual(left, [true])
      assert.isUndefined(enterReports())
    })

    it(`has late bookmarks told before it ${change}`, () => {
      const { follow, link } = setUp()
      const { offer, told } = follow()
      assert.isTrue(offer())
      disturb(link)
      disturb(link)
      assert.deepStrictEqual(told, [true])
    })
  }

  it("lets no reports into the columns while an event is on its way", () => {
    const { enterReports, follow, link, sinks, time } = setUp()
    follow()
    link.setLatency(500)
    sinks[0]?.events([{ type: "MODIFIED", object: node }])
    link.setLatency(0)
    assert.isUndefined(enterReports())
    time.runUntil(250)
    assert.isDefined(enterReports())
  })

  it("passes heartbeats of columns to a watch of one Node only", () => {
    const { link, sinks } = setUp()
    const none = () => {}
    const heartbeats = { accepts: () => true, attached: none, detached: none, made: none, seen: none }
    const selections = [{}, { fieldSelector: "metadata.name=n" }]
    for (const selection of selections)
      link.connection.watch({ verb: "watch", kind: "Node", ...selection }, { events: none, end: none, heartbeats })
    assert.deepStrictEqual(
      sinks.map((sink) => sink.heartbeats !== undefined),
      [false, true]
    )
  })

  it("takes no bookmarks late while it holds or delays events", () => {
    const { follow, link } = setUp()
    link.setLatency(500)
    assert.isFalse(follow().offer())
    link.setLatency(0)
    link.setCut(true)
    assert.isFalse(follow().offer())
  })
})
