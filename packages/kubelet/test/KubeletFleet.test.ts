import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assert, describe, it } from "vitest"
import { KubeletFleet } from "../src/index.ts"
import { TestApi } from "./TestApi.ts"
import { START } from "./world.ts"

describe("KubeletFleet", () => {
  it("runs many kubelets on the layer's timers, and ends them with it", () => {
    const time = makeVirtualTime(START)
    const api = new TestApi(time)
    const exit = time.run(
      Effect.gen(function* () {
        const fleet = yield* KubeletFleet
        for (let index = 0; index < 100; index++)
          yield* fleet.add({ name: `n${index}`, connection: api.connectionOf(`n${index}`) })
        yield* Effect.sleep("30 seconds")
        assert.strictEqual(fleet.size(), 100)
        assert.isTrue(fleet.get("n7")?.running)
        yield* fleet.remove("n7")
        assert.isUndefined(fleet.get("n7"))
        return api.asked("update Lease").length
      }).pipe(Effect.provide(KubeletFleet.layer))
    )
    assert.isTrue(Exit.isSuccess(exit) && exit.value >= 100)
    const asked = api.requests.length
    time.runUntil(START + 600_000)
    assert.lengthOf(api.requests, asked)
    assert.strictEqual(time.nextAt(), Number.POSITIVE_INFINITY)
    assert.isDefined(api.node("n7"), "ending a kubelet leaves its Node")
  })

  it("replaces a kubelet of the same name", () => {
    const time = makeVirtualTime(START)
    const api = new TestApi(time)
    time.run(
      Effect.gen(function* () {
        const fleet = yield* KubeletFleet
        const first = yield* fleet.add({ name: "n", connection: api.connectionOf("n") })
        const second = yield* fleet.add({ name: "n", connection: api.connectionOf("n") })
        assert.isFalse(first.running)
        assert.isTrue(second.running)
        assert.strictEqual(fleet.size(), 1)
      }).pipe(Effect.provide(KubeletFleet.layer))
    )
  })

  it("gives every node jitter of its own, the same for one seed", () => {
    const renewals = (names: ReadonlyArray<string>, seed: number) => {
      const time = makeVirtualTime(START)
      const api = new TestApi(time)
      time.run(
        Effect.gen(function* () {
          const fleet = yield* KubeletFleet
          for (const name of names) yield* fleet.add({ name, connection: api.connectionOf(name), seed })
          yield* Effect.sleep("2 minutes")
        }).pipe(Effect.provide(KubeletFleet.layer))
      )
      return api
        .asked("update Lease")
        .filter(({ request }) => request.verb === "update" && request.name === "a")
        .map(({ at }) => at)
    }
    assert.deepStrictEqual(renewals(["a"], 1), renewals(["b", "a", "c"], 1))
    assert.notDeepEqual(renewals(["a"], 1), renewals(["a"], 2))
  })
})
