import { assert } from "@effect/vitest"
import type { Container, Pod } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type { PodObserver } from "../runtime/PodRuntime.ts"

/** One recorded callback of a runtime. */
export interface ObserverCall {
  readonly callback: keyof PodObserver
  readonly atMs: number
  /** The address, the container's name, or the exit code. */
  readonly value: number | string
}

/** A pod for a runtime, which records the runtime's callbacks. */
export class ObservedPod {
  readonly pod: Pod
  readonly calls: Array<ObserverCall> = []
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
    const record = (callback: keyof PodObserver) => (value: number | string) =>
      void this.calls.push({ callback, value, atMs: this.timers.now() })
    this.observer = {
      started: record("started"),
      sandboxReady: record("sandboxReady"),
      containerStarted: record("containerStarted"),
      containerFailed: record("containerFailed"),
      containerExited: record("containerExited"),
      stopped: record("stopped"),
      warned: record("warned")
    }
  }

  /** Calls the runtime, which must not call back within the call. */
  request(ask: (pod: Pod, observer: PodObserver) => void): void {
    const before = this.calls.length
    ask(this.pod, this.observer)
    assert.strictEqual(this.calls.length, before, "the observer was called within the call")
  }

  /** The values of all callbacks of one kind, in order. */
  valuesOf(callback: keyof PodObserver): ReadonlyArray<number | string> {
    return this.calls.filter((one) => one.callback === callback).map(({ value }) => value)
  }

  /** All callbacks except warnings, in order. */
  get callbackNames(): ReadonlyArray<string> {
    return this.calls.filter(({ callback }) => callback !== "warned").map(({ callback }) => callback)
  }

  /** Returns the time of the last callback of one kind in milliseconds, or undefined if there was none. */
  lastMs(callback: keyof PodObserver): number | undefined {
    return this.calls.findLast((one) => one.callback === callback)?.atMs
  }
}
