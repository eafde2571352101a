import { assert } from "@effect/vitest"
import type { Container, Pod } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type { PodObserver } from "../runtime/PodRuntime.ts"

export interface Told {
  readonly what: keyof PodObserver
  readonly atMs: number
  /** The address, the container's name, or the exit code. */
  readonly value: number | string
}

/** A pod that a runtime is asked to run, and what the runtime has told of it. */
export class ToldPod {
  readonly pod: Pod
  readonly told: Array<Told> = []
  readonly observer: PodObserver
  private readonly timers: TimersShape

  constructor(timers: TimersShape, name: string, container: Partial<Container> = {}) {
    this.timers = timers
    this.pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", uid: `uid-${name}` },
      spec: { containers: [{ name: "main", image: `${name}:1`, ...container }], terminationGracePeriodSeconds: 30 }
    }
    const note = (what: keyof PodObserver) => (value: number | string) =>
      void this.told.push({ what, value, atMs: this.timers.now() })
    this.observer = {
      started: note("started"),
      sandboxReady: note("sandboxReady"),
      containerStarted: note("containerStarted"),
      containerFailed: note("containerFailed"),
      containerExited: note("containerExited"),
      stopped: note("stopped"),
      warned: note("warned")
    }
  }

  /** Asks the runtime for something, which must not be answered within the call. */
  asks(ask: (pod: Pod, observer: PodObserver) => void): void {
    const before = this.told.length
    ask(this.pod, this.observer)
    assert.strictEqual(this.told.length, before, "the observer was called within the call")
  }

  /** How often it was told, and all values, in order. */
  valuesOf(what: keyof PodObserver): ReadonlyArray<number | string> {
    return this.told.filter((one) => one.what === what).map(({ value }) => value)
  }

  /** All that was told but warnings, in order. */
  get news(): ReadonlyArray<string> {
    return this.told.filter(({ what }) => what !== "warned").map(({ what }) => what)
  }

  /** When it was last told; undefined: never. */
  lastMs(what: keyof PodObserver): number | undefined {
    return this.told.findLast((one) => one.what === what)?.atMs
  }
}
