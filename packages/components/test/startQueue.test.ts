import type { Machine } from "@rollcall/machines"
import { Timers } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { MAX_STARTING, makeStartQueue } from "../src/fleet/StartQueue.ts"

const COUNT = 2 * MAX_STARTING + 20

/** A kubelet that has started `startMs` after its start; undefined if its server never answers. */
const machineOf = (name: string, now: () => number, startMs: number | undefined) => {
  let startedMs = Number.POSITIVE_INFINITY
  const hasStarted = () => startMs !== undefined && now() - startedMs >= startMs
  const kubelet = {
    get running() {
      return startedMs < Number.POSITIVE_INFINITY
    },
    get isLeaseSynced() {
      return hasStarted()
    },
    get node() {
      return hasStarted() ? {} : undefined
    },
    knownPods: () => (hasStarted() ? [] : undefined),
    startKubelet: () => {
      startedMs = now()
    }
  }
  return { name, kubelet, isStarting: () => kubelet.running && !hasStarted() }
}

const machinesOf = (now: () => number, startMs: number | undefined) =>
  Array.from({ length: COUNT }, (_, index) => machineOf(`n${index}`, now, startMs))

const asMachines = (fakes: ReadonlyArray<ReturnType<typeof machineOf>>) => fakes as unknown as ReadonlyArray<Machine>

describe("the queue in which the kubelets of a fleet start", () => {
  itInVirtualTime(
    "starts them all, in order, a limited number at a time",
    Effect.gen(function* () {
      const timers = yield* Timers
      const fakes = machinesOf(timers.now, 100)
      makeStartQueue(timers, () => true).start(asMachines(fakes))
      let most = 0
      for (let look = 0; look < 100; look++) {
        most = Math.max(most, fakes.filter(({ isStarting }) => isStarting()).length)
        const running = fakes.map(({ kubelet }) => kubelet.running)
        assert.strictEqual(running.lastIndexOf(true) + 1, running.filter(Boolean).length)
        yield* Effect.sleep(10)
      }
      assert.strictEqual(most, MAX_STARTING)
      assert.isTrue(fakes.every(({ kubelet }) => kubelet.running))
    })
  )

  itInVirtualTime(
    "is not held up for good by kubelets that no server answers",
    Effect.gen(function* () {
      const timers = yield* Timers
      const fakes = machinesOf(timers.now, undefined)
      makeStartQueue(timers, () => true).start(asMachines(fakes))
      yield* Effect.sleep(1_000)
      assert.strictEqual(fakes.filter(({ kubelet }) => kubelet.running).length, MAX_STARTING)
      yield* Effect.sleep(20_000)
      assert.isTrue(fakes.every(({ kubelet }) => kubelet.running))
    })
  )

  itInVirtualTime(
    "leaves out those that may not start when it is their turn, and stops",
    Effect.gen(function* () {
      const timers = yield* Timers
      const fakes = machinesOf(timers.now, 100)
      const [last] = fakes.slice(-1)
      const stopped = new Set<string>()
      const queue = makeStartQueue(timers, ({ name }) => !stopped.has(name))
      queue.start(asMachines(fakes))
      stopped.add(last?.name ?? "")
      yield* Effect.sleep(1_000)
      assert.isFalse(last?.kubelet.running)
      assert.strictEqual(fakes.filter(({ kubelet }) => kubelet.running).length, COUNT - 1)

      const more = machinesOf(timers.now, 100)
      queue.start(asMachines(more))
      queue.stop()
      yield* Effect.sleep(1_000)
      assert.strictEqual(more.filter(({ kubelet }) => kubelet.running).length, MAX_STARTING)
    })
  )
})
