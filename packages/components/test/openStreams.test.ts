import { assert, describe, it } from "vitest"
import { OpenStreams } from "../src/serving/kubelet/OpenStreams.ts"

describe("the streams of a kubelet's port", () => {
  const setUp = (most: number) => {
    const streams = new OpenStreams(most)
    const ended: Array<string> = []
    const open = (user: string, name: string) => streams.open(user, () => ended.push(name))
    return { ended, open }
  }

  it("end, the oldest of the user with the most, for those of others", () => {
    const { ended, open } = setUp(4)
    for (const name of ["a1", "a2", "a3", "b1"]) assert.isDefined(open(name.slice(0, 1), name))
    assert.isUndefined(open("a", "a4"), "no one has more")
    assert.deepStrictEqual(ended, [])
    assert.isDefined(open("c", "c1"))
    assert.deepStrictEqual(ended, ["a1"])
    assert.isDefined(open("b", "b2"), "a has two, b one")
    assert.deepStrictEqual(ended, ["a1", "a2"])
    assert.isUndefined(open("b", "b3"))
  })

  it("count by their size, one by itself whatever that is", () => {
    const streams = new OpenStreams(10)
    const ended: Array<string> = []
    const open = (user: string, name: string, size: number) => streams.open(user, () => ended.push(name), size)
    const huge = open("a", "huge", 50)
    assert.isUndefined(open("a", "next", 1))
    huge?.()
    assert.isDefined(open("a", "a4", 4))
    assert.isDefined(open("a", "a5", 5))
    assert.isUndefined(open("a", "a2", 2), "a has the most")
    assert.isDefined(open("b", "b5", 5))
    assert.deepStrictEqual(ended, ["a4"])
  })

  it("leave their place once, when they have ended", () => {
    const { ended, open } = setUp(1)
    const first = open("a", "a1")
    assert.isUndefined(open("a", "a2"))
    first?.()
    first?.()
    assert.isDefined(open("a", "a3"))
    assert.isUndefined(open("a", "a4"))
    assert.deepStrictEqual(ended, [])
  })
})
