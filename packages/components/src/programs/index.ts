import { flushCompileCache } from "node:module"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { commandLine } from "../flags/parseFlags.ts"
import type { Host } from "../host/Host.ts"
import { launch } from "./launch.ts"

type Args = ReadonlyArray<string>
type Run<E, R> = (args: Args) => Effect.Effect<void, E, R>

const loaded =
  <E, R>(load: () => Promise<Run<E, R>>): Run<E, R> =>
  (args) =>
    Effect.flatMap(Effect.promise(load), (run) => {
      // Where Node keeps what it compiled: a server may be killed at any time, and the next one has use for it.
      flushCompileCache()
      return run(args)
    })

/**
 * The components by the names that the command line has for them, each as a program over its arguments. Each is loaded when it is
 * asked for: an API server is ready sooner, and smaller, without kubelets and schedulers.
 */
export const components = {
  fault: loaded(() =>
    import("../commands/fault.ts").then(
      ({ faultProgram, runFault }) =>
        (args: Args) =>
          launch(commandLine(faultProgram), runFault, args)
    )
  ),
  nodes: loaded(() =>
    import("../commands/nodes.ts").then(
      ({ nodesProgram, runNodes }) =>
        (args: Args) =>
          launch(commandLine(nodesProgram), runNodes, args)
    )
  ),
  up: loaded(() =>
    Promise.all([import("./up.ts"), import("./runUp.ts")]).then(
      ([{ upProgram }, { runUp }]) =>
        (args: Args) =>
          launch(commandLine(upProgram), runUp, args, ({ speed }) => speed)
    )
  ),
  apiserver: loaded(() =>
    Promise.all([import("./apiserver.ts"), import("./runApiserver.ts")]).then(
      ([{ apiserverProgram }, { runApiserver }]) =>
        (args: Args) =>
          launch(commandLine(apiserverProgram), runApiserver, args)
    )
  ),
  "controller-manager": loaded(() =>
    Promise.all([import("./controllerManager.ts"), import("./runControllerManager.ts")]).then(
      ([{ controllerManagerProgram }, { runControllerManager }]) =>
        (args: Args) =>
          launch(commandLine(controllerManagerProgram), runControllerManager, args)
    )
  ),
  "cloud-controller-manager": loaded(() =>
    Promise.all([import("./cloudControllerManager.ts"), import("./runCloudControllerManager.ts")]).then(
      ([{ cloudControllerManagerProgram }, { runCloudControllerManager }]) =>
        (args: Args) =>
          launch(commandLine(cloudControllerManagerProgram), runCloudControllerManager, args)
    )
  ),
  scheduler: loaded(() =>
    Promise.all([import("./scheduler.ts"), import("./runScheduler.ts")]).then(
      ([{ schedulerProgram }, { runScheduler }]) =>
        (args: Args) =>
          launch(commandLine(schedulerProgram), runScheduler, args)
    )
  ),
  kubelet: loaded(() =>
    Promise.all([import("./kubelet.ts"), import("./runKubelet.ts")]).then(
      ([{ kubeletProgram }, { runKubelet }]) =>
        (args: Args) =>
          launch(commandLine(kubeletProgram), runKubelet, args)
    )
  )
} as const

export type ComponentName = keyof typeof components

/** What a component's command line may end in, besides being interrupted. */
export type ComponentFailure = Effect.Error<ReturnType<(typeof components)[ComponentName]>>

/** Runs a component until it ends or is interrupted. */
export const runComponent = (
  name: ComponentName,
  args: Args
): Effect.Effect<void, ComponentFailure, Host | FileSystem.FileSystem | Path.Path> => components[name](args)
