import type { Connection } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { makeLink } from "../src/link/Link.ts"
import { openStream } from "../src/link/LinkStream.ts"

const nowhere: Connection = { send: () => () => {}, watch: () => () => {} }

const setUp = () => {
  const time = makeVirtualTime(0)
  const link = makeLink(nowhere, time.timers, () => 0.5)
  const seen: Array<string> = []
  const note = (what: string) => void seen.push(`${time.timers.now()} ${what}`)
  const stream = openStream(link, () => note("broken"))
  return { time, link, seen, stream, say: (what: string) => stream.carry(() => note(what)) }
}

describe("a stream over a link", () => {
  it("arrives at once, half a round trip late, and in order", () => {
    const { link, say, seen, time } = setUp()
    say("a")
    link.setLatency(200)
    say("b")
    link.setLatency(0)
    say("c")
    time.runUntil(1_000)
    assert.deepStrictEqual(seen, ["0 a", "100 b", "100 c"])
  })

  it("waits while the link is cut, and goes on when it recovers in time", () => {
    const { link, say, seen, time } = setUp()
    link.setCut(true)
    say("a")
    time.runUntil(44_999)
    say("b")
    link.setCut(false)
    say("c")
    time.runUntil(100_000)
    assert.deepStrictEqual(seen, ["44999 a", "44999 b", "44999 c"])
  })

  it("breaks after 45 s, also if it was opened during the cut", () => {
    const { link, say, seen, time } = setUp()
    link.setCut(true)
    const late = openStream(link, () => void seen.push(`${time.timers.now()} late`))
    say("a")
    time.runUntil(45_000)
    link.setCut(false)
    say("b")
    assert.deepStrictEqual(seen, ["45000 broken", "45000 late"])
    late.close()
  })

  it("that is closed neither arrives nor breaks", () => {
    const { link, say, seen, stream, time } = setUp()
    link.setLatency(100)
    say("a")
    stream.close()
    link.setCut(true)
    time.runUntil(100_000)
    assert.deepStrictEqual(seen, [])
  })
})
