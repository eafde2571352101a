import { flushCompileCache } from "node:module"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { Host } from "../host/Host.ts"
import { launch } from "./launch.ts"

type Args = ReadonlyArray<string>
/** Runs a component with its arguments and the words that called it: `rollcall up`. */
type Run<E, R> = (args: Args, typed: string) => Effect.Effect<void, E, R>

const loadOnRun =
  <E, R>(load: () => Promise<Run<E, R>>): Run<E, R> =>
  (args, typed) =>
    Effect.flatMap(Effect.promise(load), (run) => {
      // Flushes Node's compile cache, which the next process uses, because a server may be killed at any time.
      flushCompileCache()
      return run(args, typed)
    })

/**
 * The components by the names of their commands. Each is imported when it runs: an API server starts faster and takes
 * less memory without the code of kubelets and schedulers.
 */
export const components = {
  fault: loadOnRun(() =>
    import("../commands/fault.ts").then(
      ({ faultProgram, runFault }) =>
        (args: Args, typed: string) =>
          launch(faultProgram, typed, runFault, args)
    )
  ),
  nodes: loadOnRun(() =>
    import("../commands/nodes.ts").then(
      ({ nodesProgram, runNodes }) =>
        (args: Args, typed: string) =>
          launch(nodesProgram, typed, runNodes, args)
    )
  ),
  up: loadOnRun(() =>
    Promise.all([import("./up.ts"), import("./runUp.ts"), import("../up/clusterClock.ts")]).then(
      ([{ upProgram }, { runUp }, { clusterStart }]) =>
        (args: Args, typed: string) =>
          launch(upProgram, typed, runUp, args, {
            layersReader: "rollcall up",
            clockOf: (values, wallMs) => ({
              speed: values.speed,
              startMs: clusterStart(values["data-dir"], wallMs)
            })
          })
    )
  ),
  apiserver: loadOnRun(() =>
    Promise.all([import("./apiserver.ts"), import("./runApiserver.ts"), import("../up/clusterClock.ts")]).then(
      ([{ apiserverProgram }, { runApiserver }, { clusterStart }]) =>
        (args: Args, typed: string) =>
          launch(apiserverProgram, typed, runApiserver, args, {
            layersReader: "rollcall apiserver",
            clockOf: (values, wallMs) => ({ startMs: clusterStart(values["data-dir"], wallMs) })
          })
    )
  ),
  "controller-manager": loadOnRun(() =>
    Promise.all([import("./controllerManager.ts"), import("./runControllerManager.ts")]).then(
      ([{ controllerManagerProgram }, { runControllerManager }]) =>
        (args: Args, typed: string) =>
          launch(controllerManagerProgram, typed, runControllerManager, args, {
            layersReader: "rollcall controller-manager"
          })
    )
  ),
  "cloud-controller-manager": loadOnRun(() =>
    Promise.all([import("./cloudControllerManager.ts"), import("./runCloudControllerManager.ts")]).then(
      ([{ cloudControllerManagerProgram }, { runCloudControllerManager }]) =>
        (args: Args, typed: string) =>
          launch(cloudControllerManagerProgram, typed, runCloudControllerManager, args, {
            layersReader: "rollcall cloud-controller-manager"
          })
    )
  ),
  scheduler: loadOnRun(() =>
    Promise.all([import("./scheduler.ts"), import("./runScheduler.ts")]).then(
      ([{ schedulerProgram }, { runScheduler }]) =>
        (args: Args, typed: string) =>
          launch(schedulerProgram, typed, runScheduler, args, { layersReader: "rollcall scheduler" })
    )
  ),
  kubelet: loadOnRun(() =>
    Promise.all([import("./kubelet.ts"), import("./runKubelet.ts")]).then(
      ([{ kubeletProgram }, { runKubelet }]) =>
        (args: Args, typed: string) =>
          launch(kubeletProgram, typed, runKubelet, args, { layersReader: "rollcall kubelet" })
    )
  )
} as const

export type ComponentName = keyof typeof components

/** The errors of a component. */
export type ComponentFailure = Effect.Error<ReturnType<(typeof components)[ComponentName]>>

/** Runs a component until it ends or is interrupted. Help and messages call it `typed`. */
export const runComponent = (
  name: ComponentName,
  args: Args,
  typed = `rollcall ${name}`
): Effect.Effect<void, ComponentFailure, Host | FileSystem.FileSystem | Path.Path> => components[name](args, typed)
