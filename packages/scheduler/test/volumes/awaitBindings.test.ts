import { assert, describe, it } from "@effect/vitest"
import { cancellable } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type BindingTask, SchedulingCache } from "../../src/index.ts"
import { awaitBindings } from "../../src/volumes/awaitBindings.ts"
import type { BindingState } from "../../src/volumes/checkBindings.ts"
import { podWithClaims } from "../volumes.ts"
import { nodeNamed } from "../withScheduler.ts"
import { claimNamed, volumeOf } from "./claims.ts"

/** Waits for a claim whose volume is to be made on node a; changes come at these times, and this is what it says when. */
const runAwaitBindings = (changes: Readonly<Record<number, (cache: SchedulingCache) => BindingState | undefined>>) => {
  const { run, timers } = makeVirtualTime(0)
  const cache = new SchedulingCache()
  const claim = claimNamed("data")
  cache.setNode(nodeNamed("a"))
  cache.setClaim("default", "data", claim)
  let state: BindingState = "waiting"
  const log: Array<string> = []
  const task: BindingTask = {
    connection: { send: cancellable(() => undefined), watch: () => () => undefined },
    cache,
    timers,
    pod: cache.describe(podWithClaims("p", "data")),
    node: "a",
    note: () => undefined,
    done: () => undefined
  }
  const plan = { bindings: [], provisions: [claim] }
  const look = () => {
    log.push(`${timers.now()} ${typeof state === "string" ? state : "problem"}`)
    return state
  }
  const stop = awaitBindings(plan, task, 10_500, look, (problem) => {
    log.push(`${timers.now()} end: ${problem ?? "bound"}`)
    stop()
  })
  for (const [at, change] of Object.entries(changes)) timers.at(Number(at), () => (state = change(cache) ?? state))
  run(Effect.sleep("20 seconds"))
  assert.strictEqual(cache.watches.size, 0)
  return log
}

describe("waiting for volumes", () => {
  it("checks after a second, at the timeout, and otherwise only in the second after a change", () => {
    const over = "10500 end: binding volumes: context deadline exceeded"
    assert.deepStrictEqual(runAwaitBindings({}), ["1000 waiting", "10500 waiting", over])
    const other = (cache: SchedulingCache) => {
      cache.setClaim("default", "other", claimNamed("other"))
      cache.setVolume("other", volumeOf("other"))
      return undefined
    }
    assert.deepStrictEqual(runAwaitBindings({ 3300: other }), ["1000 waiting", "10500 waiting", over])
    const mine = (cache: SchedulingCache) => {
      cache.setClaim("default", "data", claimNamed("data"))
      return undefined
    }
    assert.deepStrictEqual(runAwaitBindings({ 300: mine, 3300: mine, 3400: mine, 5000: mine, 10200: mine }), [
      "1000 waiting",
      "4000 waiting",
      "5000 waiting",
      "10500 waiting",
      over
    ])
  })

  it("watches the node, and the volume that the claim has been bound to", () => {
    const named = claimNamed("data", { more: { volumeName: "pv" } })
    assert.deepStrictEqual(
      runAwaitBindings({
        2100: (cache) => {
          cache.setClaim("default", "data", named)
          return undefined
        },
        4100: (cache) => {
          cache.setVolume("pv", volumeOf("pv"))
          return "bound"
        }
      }),
      ["1000 waiting", "3000 waiting", "5000 bound", "5000 end: bound"]
    )
    assert.deepStrictEqual(
      runAwaitBindings({
        6100: (cache) => {
          cache.removeNode("a")
          return { problem: "no node" }
        }
      }),
      ["1000 waiting", "7000 problem", "7000 end: binding volumes: no node"]
    )
  })
})
