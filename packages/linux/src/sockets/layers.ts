import { type Machine, NodeHosts, type NodeHostsShape, PodRuntimes } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { DevicePlugins } from "./DevicePlugins.ts"
import { type PluginCalls, PluginRuntime } from "./PluginRuntime.ts"

type Host = ReturnType<NodeHostsShape["of"]>

/** The host with the devices of its plugins; its machine is the same value while neither changes. */
const withDevices = (host: Host, plugins: DevicePlugins["Service"]): Host => {
  let last: { readonly machine: Machine; readonly devices: unknown; readonly shown: Machine } | undefined
  const machine = (): Machine => {
    const found = host.machine()
    const devices = plugins.resources()
    if (last?.machine !== found || last.devices !== devices)
      last = { machine: found, devices, shown: { ...found, devices } }
    return last.shown
  }
  return Object.create(host, { machine: { value: machine } })
}

/** Hosts that show the devices of plugins. */
const layerHosts = Layer.effect(
  NodeHosts,
  Effect.gen(function* () {
    const hosts = yield* NodeHosts
    const plugins = yield* DevicePlugins
    return { of: (spec: Parameters<NodeHostsShape["of"]>[0]) => withDevices(hosts.of(spec), plugins) }
  })
)

/** Runtimes that tell the plugins before containers start. */
const layerRuntimes = Layer.effect(
  PodRuntimes,
  Effect.gen(function* () {
    const runtimes = yield* PodRuntimes
    const plugins = yield* DevicePlugins
    const timers = yield* Timers
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const calls: PluginCalls = {
      hasDevices: plugins.hasDevices,
      deviceHealth: plugins.healthOf,
      allocate: (pod, done) => {
        // Also a plugin that is gone answers later: a runtime must not call its observer within a call.
        const later = Effect.andThen(Effect.yieldNow, Effect.result(plugins.allocate(pod)))
        const told = Effect.map(later, (outcome) =>
          done(Result.isFailure(outcome) ? outcome.failure.message : undefined)
        )
        const fiber = runFork(told)
        return () => void runFork(Fiber.interrupt(fiber))
      }
    }
    return PodRuntimes.of({ of: (spec) => new PluginRuntime(timers, runtimes.of(spec), calls) })
  })
)

/** What a machine is made of, with device plugins: `layer` has hosts and runtimes without. */
export const layerPluginMachines = <E, R>(
  layer: Layer.Layer<NodeHosts | PodRuntimes, E, R>
): Layer.Layer<NodeHosts | PodRuntimes, E, R | DevicePlugins | Timers> =>
  Layer.provide(Layer.merge(layerHosts, layerRuntimes), layer)
