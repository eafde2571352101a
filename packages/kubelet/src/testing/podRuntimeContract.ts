import { assert, describe } from "@effect/vitest"
import { Timers, type TimersShape } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { PodRuntimes, type PodRuntimesShape } from "../runtime/PodRuntimes.ts"
import { ObservedPod } from "./ObservedPod.ts"

/** The runtime under test, and functions that make its pods. */
interface RuntimeFixture {
  readonly runtime: PodRuntime
  readonly runtimes: PodRuntimesShape
  readonly timers: TimersShape
  readonly pod: (name: string) => ObservedPod
  /** A pod whose preStop hook sleeps for half an hour, so that only its grace period ends it. */
  readonly podWithSlowStop: (name: string) => ObservedPod
  /** Starts a pod, and waits until it runs. */
  readonly startPod: (pod: ObservedPod) => Effect.Effect<ObservedPod>
}

/** Longer than any wait of a runtime, such as for an image. */
const LONG_WAIT = "1 hour"
/**
 * The minimum time of a container between SIGTERM and SIGKILL. Upstream: pkg/kubelet/kuberuntime
 * minimumGracePeriodInSeconds.
 */
const MIN_GRACE_MS = 2_000

const ADDRESS_PREFIX = "10.244.7."

const makeFixture = Effect.gen(function* () {
  const timers = yield* Timers
  const runtimes = yield* PodRuntimes
  const runtime = runtimes.of({ name: "node-1", podCIDR: `${ADDRESS_PREFIX}0/24` })
  const fixture: RuntimeFixture = {
    runtime,
    runtimes,
    timers,
    pod: (name) => new ObservedPod(timers, name),
    podWithSlowStop: (name) => new ObservedPod(timers, name, { lifecycle: { preStop: { sleep: { seconds: 1800 } } } }),
    startPod: (pod) =>
      Effect.gen(function* () {
        pod.request((asked, observer) => runtime.start(asked, observer))
        yield* Effect.sleep(LONG_WAIT)
        assert.deepStrictEqual(pod.callbackNames, ["started"])
        return pod
      })
  }
  return fixture
})

type WithRuntime = (title: string, body: (fixture: RuntimeFixture) => Effect.Effect<void>) => void

const starts = (withRuntime: WithRuntime) => {
  withRuntime("is answered once for each pod, later, with an address of its own", ({ pod, runtime }) =>
    Effect.gen(function* () {
      const [a, b] = [pod("a"), pod("b")]
      for (const one of [a, b]) one.request((asked, observer) => runtime.start(asked, observer))
      yield* Effect.sleep(LONG_WAIT)
      for (const one of [a, b]) assert.deepStrictEqual(one.callbackNames, ["started"])
      const addresses = [a, b].flatMap((one) => one.valuesOf("started").map(String))
      for (const address of addresses)
        assert.isTrue(address.startsWith(ADDRESS_PREFIX), `${address} is of the node's range`)
      assert.strictEqual(new Set(addresses).size, 2, `${addresses} are two`)
    })
  )

  withRuntime("allocates addresses of the Node's new ranges", ({ pod, runtime, startPod }) =>
    Effect.gen(function* () {
      yield* startPod(pod("a"))
      runtime.setPodCIDR("10.9.8.0/24")
      const b = yield* startPod(pod("b"))
      assert.match(String(b.valuesOf("started")[0]), /^10\.9\.8\./)
    })
  )

  withRuntime("waits until the node has a range, and reports that", ({ pod, runtimes }) =>
    Effect.gen(function* () {
      const runtime = runtimes.of({ name: "node-2", podCIDR: "await" })
      if (runtime.networkProblem === undefined) return
      assert.isString(runtime.networkProblem())
      const a = pod("a")
      a.request((asked, observer) => runtime.start(asked, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames, [])
      runtime.setPodCIDR("10.9.8.0/24")
      assert.isUndefined(runtime.networkProblem())
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames, ["started"])
    })
  )

  withRuntime("starts one container again in its pod", ({ pod, runtime, startPod }) =>
    Effect.gen(function* () {
      const a = yield* startPod(pod("a"))
      a.request((asked, observer) => runtime.restart(asked, "main", observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames, ["started", "containerStarted"])
      assert.deepStrictEqual(a.valuesOf("containerStarted"), ["main"])
    })
  )
}

const stops = (withRuntime: WithRuntime) => {
  withRuntime("ends within the grace period, and is reported once", ({ runtime, startPod, podWithSlowStop, timers }) =>
    Effect.gen(function* () {
      const a = yield* startPod(podWithSlowStop("a"))
      const askedMs = timers.now()
      a.request((asked, observer) => runtime.stop(asked, 30, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.strictEqual(a.callbackNames.filter((what) => what === "stopped").length, 1)
      assert.strictEqual(a.callbackNames.at(-1), "stopped")
      assert.isAtMost((a.lastMs("stopped") ?? Number.POSITIVE_INFINITY) - askedMs, 30_000 + MIN_GRACE_MS)
    })
  )

  withRuntime(
    "ends earlier when repeated with a shorter grace period",
    ({ runtime, startPod, podWithSlowStop, timers }) =>
      Effect.gen(function* () {
        const a = yield* startPod(podWithSlowStop("a"))
        a.request((asked, observer) => runtime.stop(asked, 3600, observer))
        yield* Effect.sleep("5 seconds")
        const askedMs = timers.now()
        a.request((asked, observer) => runtime.stop(asked, 10, observer))
        yield* Effect.sleep(LONG_WAIT)
        assert.deepStrictEqual(a.valuesOf("stopped").length, 1)
        assert.isAtMost((a.lastMs("stopped") ?? Number.POSITIVE_INFINITY) - askedMs, 10_000 + MIN_GRACE_MS)
      })
  )

  for (const [when, pause] of [
    ["at once", "0 millis"],
    ["soon after", "400 millis"]
  ] as const) {
    withRuntime(`ends a pod that is still being started, stopped ${when}`, ({ pod, runtime }) =>
      Effect.gen(function* () {
        const a = pod("a")
        a.request((asked, observer) => runtime.start(asked, observer))
        yield* Effect.sleep(pause)
        a.request((asked, observer) => runtime.stop(asked, 10, observer))
        yield* Effect.sleep(LONG_WAIT)
        assert.strictEqual(a.valuesOf("stopped").length, 1)
        assert.strictEqual(a.callbackNames.at(-1), "stopped", `no further callback: ${a.callbackNames}`)
      })
    )
  }

  withRuntime("leaves all other pods as they are", ({ pod, runtime, startPod }) =>
    Effect.gen(function* () {
      const [a, b] = [yield* startPod(pod("a")), yield* startPod(pod("b"))]
      a.request((asked, observer) => runtime.stop(asked, 10, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.strictEqual(a.callbackNames.at(-1), "stopped")
      assert.deepStrictEqual(b.callbackNames, ["started"])
    })
  )
}

const power = (withRuntime: WithRuntime) => {
  withRuntime("ends everything, without callbacks", ({ pod, runtime, startPod, podWithSlowStop }) =>
    Effect.gen(function* () {
      const ends = yield* startPod(podWithSlowStop("ends"))
      const runs = yield* startPod(pod("runs"))
      ends.request((asked, observer) => runtime.stop(asked, 600, observer))
      const starts = pod("starts")
      starts.request((asked, observer) => runtime.start(asked, observer))
      yield* Effect.sleep("100 millis")
      const before = [ends, runs, starts].map(({ calls }) => calls.length)
      runtime.powerOff()
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(
        [ends, runs, starts].map(({ calls }) => calls.length),
        before
      )
      const shown = { ...runs.pod, status: { phase: "Running" as const } }
      assert.isFalse(runtime.runs(shown, runs.observer), "no container outlives the machine's power")
    })
  )

  withRuntime("can return: pods start again", ({ pod, runtime, startPod }) =>
    Effect.gen(function* () {
      yield* startPod(pod("a"))
      runtime.powerOff()
      const again = yield* startPod(pod("a"))
      again.request((asked, observer) => runtime.stop(asked, 10, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.strictEqual(again.callbackNames.at(-1), "stopped")
    })
  )

  withRuntime("is that of one machine", ({ pod, runtime, runtimes, startPod }) =>
    Effect.gen(function* () {
      const other = runtimes.of({ name: "node-2", podCIDR: "10.244.8.0/24" })
      const a = pod("a")
      a.request((asked, observer) => other.start(asked, observer))
      yield* startPod(pod("b"))
      runtime.powerOff()
      a.request((asked, observer) => other.stop(asked, 10, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.strictEqual(a.callbackNames.at(-1), "stopped")
    })
  )

  withRuntime("does not start pods that were never started", ({ pod, runtime }) =>
    Effect.sync(() => {
      const a = pod("a")
      a.request((asked, observer) => assert.isFalse(runtime.runs(asked, observer)))
    })
  )
}

const containers = (withRuntime: WithRuntime) => {
  withRuntime("start, end and start again one by one", ({ pod, runtime, timers }) =>
    Effect.gen(function* () {
      const { containers: single } = runtime
      if (single === undefined) return
      const a = pod("a")
      a.request((asked, observer) => single.startSandbox(asked, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames, ["sandboxReady"])
      assert.isTrue(String(a.valuesOf("sandboxReady")[0]).startsWith(ADDRESS_PREFIX))
      a.request((asked, observer) => single.startContainer(asked, "main", false, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames.slice(1), ["containerStarted"])
      const askedMs = timers.now()
      a.request((asked, observer) => single.stopContainer(asked, "main", 30, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.callbackNames.slice(2), ["containerExited"])
      assert.isAtMost((a.lastMs("containerExited") ?? Number.POSITIVE_INFINITY) - askedMs, 30_000 + MIN_GRACE_MS)
      a.request((asked, observer) => single.startContainer(asked, "main", true, observer))
      yield* Effect.sleep(LONG_WAIT)
      if (single.exitContainer !== undefined) {
        a.request((asked, observer) => single.exitContainer?.(asked, "main", 3, observer))
        yield* Effect.sleep(LONG_WAIT)
        assert.strictEqual(a.valuesOf("containerExited").length, 2)
      }
      a.request((asked, observer) => runtime.stop(asked, 30, observer))
      yield* Effect.sleep(LONG_WAIT)
      assert.deepStrictEqual(a.valuesOf("containerStarted"), ["main", "main"])
      assert.strictEqual(a.valuesOf("stopped").length, 1)
      assert.strictEqual(a.callbackNames.at(-1), "stopped")
    })
  )
}

/**
 * Registers the tests that every implementation of the PodRuntimes port must pass, in a vitest file. They run in
 * virtual time: the layer takes its time from Timers, or from Effect's Clock. It is built again for each test.
 */
export const podRuntimeContract = <E>(name: string, layer: Layer.Layer<PodRuntimes, E, Timers>): void => {
  const withRuntime: WithRuntime = (title, body) =>
    itInVirtualTime(title, Effect.flatMap(makeFixture, body).pipe(Effect.provide(Layer.fresh(layer))))
  describe(`${name}: a start`, () => starts(withRuntime))
  describe(`${name}: a stop`, () => stops(withRuntime))
  describe(`${name}: the machine's power`, () => power(withRuntime))
  describe(`${name}: single containers`, () => containers(withRuntime))
}
