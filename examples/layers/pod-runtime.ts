import type { Pod } from "@rollcall/api"
import { makeModelledPodRuntime, type PodObserver, type PodRuntime, PodRuntimes } from "@rollcall/kubelet"
import { Timers, type TimersShape } from "@rollcall/time"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

const PULL_MS = 20_000

/** Wraps the modelled runtime: pods wait until their images are pulled to their machine. */
const withImagePulls = (timers: TimersShape, runtime: PodRuntime): PodRuntime => {
  const thereMs = new Map<string, number>()
  const waiting = new Set<PodObserver>()
  const pull = (image: string): number => {
    const known = thereMs.get(image) ?? timers.now() + PULL_MS
    thereMs.set(image, known)
    return known
  }
  const begin = (pod: Pod, observer: PodObserver) => {
    if (waiting.delete(observer)) runtime.start(pod, observer)
  }
  return {
    start: (pod, observer) => {
      const readyMs = Math.max(...pod.spec.containers.map(({ image = "" }) => pull(image)))
      if (readyMs <= timers.now()) runtime.start(pod, observer)
      else {
        waiting.add(observer)
        timers.at(readyMs, () => begin(pod, observer))
      }
    },
    restart: (pod, container, observer) => runtime.restart(pod, container, observer),
    stop: (pod, graceSeconds, observer) => {
      // The wrapped runtime can stop a pod that is still starting.
      begin(pod, observer)
      runtime.stop(pod, graceSeconds, observer)
    },
    runs: (pod, observer) => runtime.runs(pod, observer),
    setPodCIDR: (cidrs) => runtime.setPodCIDR(cidrs),
    networkProblem: () => runtime.networkProblem?.(),
    removeSandbox: (pod) => runtime.removeSandbox?.(pod),
    powerOff: () => {
      waiting.clear()
      runtime.powerOff()
    }
  }
}

export default defineLayers(
  Layer.effect(
    PodRuntimes,
    Effect.map(Timers, (timers) => ({
      of: ({ host, podCIDR }) =>
        withImagePulls(timers, makeModelledPodRuntime(timers, podCIDR === undefined ? {} : { podCIDR }, host))
    }))
  )
)
