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
  /** The names of the objects of the requests that have arrived. */
  const sent: Array<string | undefined> = []
  const send: Connection["send"] = (request) => {
    sent.push("name" in request ? request.name : undefined)
    return () => {}
  }
  const server: Connection = { send, watch, heartbeats: lane }
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
  return { enter, enterReports, follow, left, link, passes, sent, sinks, time }
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

  it("takes loops of reads over only while it is cut and not slow", () => {
    const { link } = setUp()
    const { heartbeats } = link.connection
    assert.isUndefined(heartbeats?.enterCut?.(() => {}))
    link.setCut(true)
    assert.isDefined(heartbeats?.enterCut?.(() => {}))
    link.setLatency(100)
    assert.isUndefined(heartbeats?.enterCut?.(() => {}))
  })

  it("hands loops of reads back before it recovers, and sends what waits in the order of its times", () => {
    const { link, sent, time } = setUp()
    link.setCut(true)
    const get = (name: string) => ({ verb: "get", kind: "Lease", name }) as const
    const loop = link.connection.heartbeats?.enterCut?.(() => {
      assert.isEmpty(sent)
      loop?.sendFrom(5000, get("of the loop"), () => {})
    })
    const ended = link.connection.heartbeats?.enterCut?.(() => assert.fail("a loop that has ended"))
    ended?.end()
    time.runUntil(4000)
    link.connection.send(get("before it"), () => {})
    time.runUntil(6000)
    link.connection.send(get("after it"), () => {})
    link.setCut(false)
    assert.deepStrictEqual(sent, ["before it", "of the loop", "after it"])
  })

  it("times a read out that was handed back, as of when it was sent", () => {
    const { link, time } = setUp()
    link.setCut(true)
    const answers: Array<number> = []
    const loop = link.connection.heartbeats?.enterCut?.(() => {
      loop?.sendFrom(3000, { verb: "get", kind: "Lease", name: "n" }, () => answers.push(time.timers.now()))
    })
    time.runUntil(6000)
    link.setLatency(1)
    assert.strictEqual(loop?.timeoutMs, 10_000)
    time.runUntil(20_000)
    assert.deepStrictEqual(answers, [13_000])
  })
})
