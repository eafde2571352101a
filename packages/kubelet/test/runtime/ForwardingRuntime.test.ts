import type { Pod } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { ForwardingRuntime, makeModelledPodRuntime, type PodObserver, type PodRuntime } from "../../src/index.ts"
import { HangingRuntime } from "../../src/runtime/HangingRuntime.ts"

/** A runtime that notes the names of the calls that reach it. */
const noting = (called: Array<string>): PodRuntime => {
  const note = (name: string) => () => void called.push(name)
  const images = {
    hasImage: note("hasImage"),
    pullImage: note("pullImage"),
    mustPull: () => called.push("mustPull") > 0
  }
  const containers = {
    startSandbox: note("startSandbox"),
    startContainer: note("startContainer"),
    stopContainer: note("stopContainer"),
    exitContainer: note("exitContainer"),
    probeOutcomes: note("probeOutcomes") as () => undefined,
    postStartEnd: note("postStartEnd") as () => undefined,
    preStopEnd: note("preStopEnd") as () => undefined,
    images: { ...images, hasImage: images.hasImage as () => undefined }
  }
  return {
    start: note("start"),
    restart: note("restart"),
    stop: note("stop"),
    setPodCIDR: note("setPodCIDR"),
    networkProblem: note("networkProblem") as () => undefined,
    removeSandbox: note("removeSandbox"),
    runs: () => called.push("runs") > 0,
    powerOff: note("powerOff"),
    containers
  }
}

const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } }
const observer = {} as PodObserver

/** Makes every call of a runtime once. */
const callAll = (runtime: PodRuntime): void => {
  const { containers } = runtime
  runtime.start(pod, observer)
  runtime.restart(pod, "c", observer)
  runtime.stop(pod, 1, observer)
  runtime.setPodCIDR("10.0.0.0/24")
  runtime.networkProblem?.()
  runtime.removeSandbox?.(pod)
  runtime.runs(pod, observer)
  containers?.startSandbox(pod, observer)
  containers?.startContainer(pod, "c", false, observer)
  containers?.stopContainer(pod, "c", 1, observer)
  containers?.exitContainer?.(pod, "c", 0, observer)
  containers?.probeOutcomes(pod, "c", observer)
  containers?.postStartEnd?.(pod, "c", observer)
  containers?.preStopEnd?.(pod, "c", observer)
  containers?.images?.hasImage(pod, "c", observer)
  containers?.images?.mustPull(pod)
  containers?.images?.pullImage(pod, "c", observer, () => {})
  runtime.powerOff()
}

const idle = { runtimeAnswered: () => {}, imagesChanged: () => {} }

describe("a runtime around another one", () => {
  const { timers } = makeVirtualTime(0)
  it.each<[string, (inner: PodRuntime) => PodRuntime]>([
    ["that changes nothing", (inner) => new ForwardingRuntime(inner)],
    ["that may hang", (inner) => new HangingRuntime(timers, inner, idle)]
  ])("%s, hands every call on", (_, wrap) => {
    const [direct, wrapped]: [Array<string>, Array<string>] = [[], []]
    callAll(noting(direct))
    callAll(wrap(noting(wrapped)))
    assert.lengthOf(direct, 18)
    assert.deepStrictEqual(wrapped, direct)
  })

  it("has images if that has", () => {
    assert.isDefined(new ForwardingRuntime(makeModelledPodRuntime(timers)).containers?.images)
    const { containers: _, ...plain } = noting([])
    assert.isUndefined(new ForwardingRuntime(plain).containers)
  })
})
