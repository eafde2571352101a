import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { Workers } from "../src/Workers.ts"

describe("synchronous workers", () => {
  it("are counted under the name of their queue, and process the configured number of keys at a time", () => {
    const time = makeVirtualTime(0)
    const calls: Array<string> = []
    const followed: Array<string> = []
    const meter = {
      hooks: (name: string) => ({
        add: () => calls.push(`${name} add`),
        depth: (depth: number) => calls.push(`${name} depth ${depth}`)
      }),
      follow: (name: string) => followed.push(name)
    }
    const worked: Array<string> = []
    const workers = new Workers<never>(time.timers, meter, "replicaset", 2)
    workers.start((key, done) => {
      worked.push(key)
      time.timers.after(1000, () => done())
    })
    for (const key of ["a", "b", "c"]) workers.queue.add(key)
    time.runUntil(500)
    assert.deepStrictEqual(worked, ["a", "b"])
    time.runUntil(1500)
    assert.deepStrictEqual(worked, ["a", "b", "c"])
    assert.deepStrictEqual(followed, ["replicaset"])
    assert.lengthOf(
      calls.filter((line) => line === "replicaset add"),
      3
    )
    assert.strictEqual(calls.at(-1), "replicaset depth 0")
  })
})
