import { makeModelledPodRuntime, PodRuntimes } from "@rollcall/kubelet"
import { podRuntimeContract } from "@rollcall/kubelet/testing"
import { type Timer, Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { GatedRuntime, type StartGateShape } from "../src/GatedRuntime.ts"

/** Each pod waits for a minute, as for a volume that has to be attached. */
const makeMinuteGate = (timers: TimersShape): StartGateShape => {
  const waiting = new Map<string, Timer>()
  const cancel = (uid: string) => {
    const timer = waiting.get(uid)
    if (timer !== undefined) timers.cancel(timer)
    return waiting.delete(uid)
  }
  return {
    pass: ({ metadata: { uid = "" } }, _, go) => {
      const passed = () => {
        waiting.delete(uid)
        go()
      }
      waiting.set(uid, timers.after(60_000, passed))
    },
    cancel: ({ metadata: { uid = "" } }) => cancel(uid),
    cancelAll: () => {
      for (const uid of [...waiting.keys()]) cancel(uid)
    }
  }
}

podRuntimeContract(
  "one whose pods wait at a gate",
  Layer.effect(
    PodRuntimes,
    Effect.map(Timers, (timers) => ({
      of: ({ name, podCIDR = "10.244.0.0/24" }) =>
        new GatedRuntime(name, makeModelledPodRuntime(timers, { podCIDR }), makeMinuteGate(timers))
    }))
  )
)
