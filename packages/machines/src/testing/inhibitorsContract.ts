import { assert, describe } from "@effect/vitest"
import { defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import { kubeletConfig } from "@rollcall/kubelet"
import { Timers, type TimersShape } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { Inhibitors, type InhibitorsShape } from "../shutdown/Inhibitors.ts"
import type { MachineShutdown } from "../shutdown/MachineShutdown.ts"
import type { ShutdownMachine } from "../shutdown/ShutdownMachine.ts"

/** Longer than any shutdown of a machine. */
const LONG = "1 hour"

const podNamed = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: { containers: [{ name: "main" }], terminationGracePeriodSeconds: 30 }
})

/** A machine with one pod, which takes 20 s to stop, and a record of the calls. */
class TestMachine implements ShutdownMachine {
  powered = true
  /** The calls of the machine and its kubelet, in order: `kill <uid>`, `post the status`, `off`. */
  readonly calls: Array<string> = []
  private pods: ReadonlyArray<Pod> = [podNamed("a")]
  private readonly timers: TimersShape
  readonly kubelet: ShutdownMachine["kubelet"]

  constructor(timers: TimersShape, running: boolean) {
    this.timers = timers
    this.kubelet = {
      running,
      activePods: () => this.pods,
      killPod: (uid, { done, graceSeconds = 0 }) => {
        this.calls.push(`kill ${uid}`)
        assert.isAtLeast(graceSeconds, 0)
        this.timers.after(20_000, () => {
          this.pods = []
          done?.("stopped")
        })
      },
      nodeEvent: () => {},
      syncNodeStatus: () => void this.calls.push("post the status")
    }
  }

  crash(): void {
    if (!this.powered) return
    this.powered = false
    this.calls.push("off")
  }

  get kills(): number {
    return this.calls.filter((what) => what.startsWith("kill")).length
  }
}

interface ShutdownSetup {
  readonly machine: TestMachine
  readonly shutdown: MachineShutdown
}

const gracePeriods = { shutdownGracePeriodMs: 30_000, shutdownGracePeriodCriticalPodsMs: 10_000 }

const setUp = (
  inhibitors: InhibitorsShape,
  timers: TimersShape,
  graceful: boolean,
  running: boolean
): ShutdownSetup => {
  const machine = new TestMachine(timers, running)
  const shutdown = inhibitors.of({
    name: "node-1",
    config: { ...kubeletConfig({}), featureGates: featureGatesOf(defaultRelease), ...(graceful ? gracePeriods : {}) },
    machine: () => machine,
    observe: () => {}
  })
  return { machine, shutdown }
}

const request = { pod: podNamed("new"), otherPods: () => [], node: undefined }

const assertHealthy = ({ machine, shutdown }: ShutdownSetup) => {
  assert.isUndefined(shutdown.admit(request))
  assert.isUndefined(shutdown.shutdownStatus?.())
  assert.isTrue(machine.powered)
}

const assertShuttingDown = ({ shutdown }: ShutdownSetup) => {
  assert.deepInclude(shutdown.admit(request), { reason: "NodeShutdown" })
  if (shutdown.shutdownStatus !== undefined) assert.isString(shutdown.shutdownStatus())
}

/** Waits until the kubelet has been told to kill its pod. */
const waitForKill = ({ machine }: ShutdownSetup) =>
  Effect.gen(function* () {
    for (let tries = 0; machine.kills === 0 && tries < 1_000; tries++) yield* Effect.sleep("10 millis")
    assert.strictEqual(machine.kills, 1, "the kubelet is asked to end its pod")
  })

/**
 * Registers the tests that every implementation of the Inhibitors port with shutdowns must pass, in a vitest file. They
 * run in virtual time, and the layer is built again for each test. The ShutdownInhibitor of an implementation is tested
 * by `inhibitorContract` of `@rollcall/shutdown/testing`.
 */
export const inhibitorsContract = <E>(name: string, layer: Layer.Layer<Inhibitors, E, Timers>): void => {
  const withMachine = (
    title: string,
    body: (setup: ShutdownSetup) => Effect.Effect<void>,
    { graceful = true, running = true } = {}
  ) =>
    itInVirtualTime(
      title,
      Effect.gen(function* () {
        const timers = yield* Timers
        yield* body(setUp(yield* Inhibitors, timers, graceful, running))
      }).pipe(Effect.provide(Layer.fresh(layer)), Effect.provideService(References.MinimumLogLevel, "None"))
    )

  describe(`${name}: a machine`, () => {
    withMachine("is healthy until it is shut down", (setup) =>
      Effect.gen(function* () {
        setup.shutdown.kubeletStarted?.()
        yield* Effect.sleep(LONG)
        assertHealthy(setup)
        assert.deepStrictEqual(setup.machine.calls, [])
      })
    )

    withMachine("powers off once its pods have stopped, admits none meanwhile, and reports that", (setup) =>
      Effect.gen(function* () {
        const { machine, shutdown } = setup
        shutdown.kubeletStarted?.()
        shutdown.begin()
        yield* waitForKill(setup)
        assertShuttingDown(setup)
        assert.isTrue(machine.powered)
        yield* Effect.sleep(LONG)
        assert.isFalse(machine.powered)
        assert.strictEqual(machine.kills, 1)
        assert.strictEqual(machine.calls.at(-1), "off")
        assert.include(machine.calls, "post the status")
      })
    )

    for (const [title, options] of [
      ["whose kubelet has nothing configured", { graceful: false }],
      ["whose kubelet is not running", { running: false }]
    ] as const) {
      withMachine(
        `${title} does not wait`,
        ({ machine, shutdown }) =>
          Effect.gen(function* () {
            shutdown.begin()
            yield* Effect.sleep(LONG)
            assert.deepStrictEqual(machine.calls, ["off"])
          }),
        options
      )
    }

    withMachine("that is already off is not shut down again", ({ machine, shutdown }) =>
      Effect.gen(function* () {
        machine.crash()
        shutdown.begin()
        shutdown.cancel()
        yield* Effect.sleep(LONG)
        assert.deepStrictEqual(machine.calls, ["off"])
      })
    )
  })

  describe(`${name}: a shutdown`, () => {
    withMachine("can be cancelled while pods are being stopped, and begin again", (setup) =>
      Effect.gen(function* () {
        const { machine, shutdown } = setup
        shutdown.begin()
        yield* waitForKill(setup)
        shutdown.cancel()
        yield* Effect.sleep(LONG)
        assertHealthy(setup)
        shutdown.begin()
        yield* Effect.sleep(LONG)
        assert.isFalse(machine.powered)
      })
    )

    withMachine("that has not begun can be cancelled, without effect", (setup) =>
      Effect.gen(function* () {
        setup.shutdown.cancel()
        yield* Effect.sleep(LONG)
        assertHealthy(setup)
      })
    )

    withMachine("is not held back once the kubelet's process has ended", (setup) =>
      Effect.gen(function* () {
        const { machine, shutdown } = setup
        shutdown.begin()
        yield* waitForKill(setup)
        shutdown.kubeletEnded()
        shutdown.kubeletEnded()
        // Its pod would have held it back for twice as long.
        yield* Effect.sleep("10 seconds")
        assert.isFalse(machine.powered)
      })
    )
  })
}
