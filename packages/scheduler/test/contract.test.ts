import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultPlugins } from "../src/config/plugins.ts"
import { Reader } from "../src/config/Reader.ts"
import { type PluginParts, SchedulerPlugins, type WaitingPod } from "../src/index.ts"
import { schedulerPluginContract } from "../src/testing/index.ts"

const kubernetesPlugins = Object.fromEntries(
  Object.entries(defaultPlugins).map(([name, make]) => [name, make(undefined, "", new Reader({ file: "", path: "" }))])
)
schedulerPluginContract("Kubernetes' own", SchedulerPlugins.layer(kubernetesPlugins))

/** Keeps pods until three are there, and holds one place on each node. */
const makeGangPlugins = (): PluginParts => {
  const places = new Map<string, string>()
  const held: Array<WaitingPod> = []
  return {
    reserve: {
      name: "Gang",
      reserve: ({ key }, node) => {
        const holder = places.get(node) ?? key
        if (holder !== key) return { _tag: "Reject", reason: `${node} is taken` }
        places.set(node, key)
        return undefined
      },
      unreserve: ({ key }, node) => {
        if (places.get(node) === key) places.delete(node)
      }
    },
    permit: {
      name: "Gang",
      permit: () => ({
        _tag: "Wait",
        timeoutMs: 60_000,
        hold: (pod) => {
          if (held.push(pod) < 3) return
          for (const { allow } of held.splice(0)) allow()
        }
      })
    },
    preBind: {
      name: "Gang",
      preBind: ({ done, timers }) => {
        const timer = timers.after(1_000, () => done())
        return () => timers.cancel(timer)
      }
    },
    postBind: { name: "Gang", postBind: ({ key }, node) => void places.set(node, key) }
  }
}
schedulerPluginContract(
  "one with binding points",
  Layer.effect(
    SchedulerPlugins,
    Effect.sync(() => ({ Gang: makeGangPlugins() }))
  )
)
