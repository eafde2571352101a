import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeModelledPodRuntime, NodeHosts, PodRuntimes } from "../../src/index.ts"
import { HangingRuntime } from "../../src/runtime/HangingRuntime.ts"
import { nodeHostContract, podRuntimeContract } from "../../src/testing/index.ts"

podRuntimeContract("modelled", PodRuntimes.layerModelled())
podRuntimeContract("modelled, slow to start", PodRuntimes.layerModelled({ startMs: 90_000, restartMs: 30_000 }))

/** The one that each kubelet puts around its own, hanging for a while whenever it is asked to start or stop a pod. */
class SlowRuntime extends HangingRuntime {
  override start(...asked: Parameters<HangingRuntime["start"]>): void {
    this.pause()
    super.start(...asked)
  }

  override stop(...asked: Parameters<HangingRuntime["stop"]>): void {
    this.pause()
    super.stop(...asked)
  }

  private pause(): void {
    this.hang()
    this.answerAfter(500)
  }
}

const layerSlowRuntimes = Layer.effect(
  PodRuntimes,
  Effect.map(Timers, (timers) => ({
    of: ({ podCIDR = "10.244.0.0/24" }) =>
      new SlowRuntime(timers, makeModelledPodRuntime(timers, { podCIDR }), {
        runtimeAnswered: () => {},
        imagesChanged: () => {}
      })
  }))
)
podRuntimeContract("one that hangs now and then", layerSlowRuntimes)

nodeHostContract("modelled", NodeHosts.layerModelled)
