import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { faultProgram, runFault } from "../commands/fault.ts"
import { nodesProgram, runNodes } from "../commands/nodes.ts"
import type { Host } from "../host/Host.ts"
import { apiserverProgram } from "./apiserver.ts"
import { controllerManagerProgram } from "./controllerManager.ts"
import { kubeletProgram } from "./kubelet.ts"
import { launch } from "./launch.ts"
import { runApiserver } from "./runApiserver.ts"
import { runControllerManager } from "./runControllerManager.ts"
import { runKubelet } from "./runKubelet.ts"
import { runScheduler } from "./runScheduler.ts"
import { runUp } from "./runUp.ts"
import { schedulerProgram } from "./scheduler.ts"
import { upProgram } from "./up.ts"

/** The components by the names that the command line has for them, each as a program over its arguments. */
export const components = {
  fault: (args: ReadonlyArray<string>) => launch(faultProgram, runFault, args),
  nodes: (args: ReadonlyArray<string>) => launch(nodesProgram, runNodes, args),
  up: (args: ReadonlyArray<string>) => launch(upProgram, runUp, args, ({ speed }) => speed),
  apiserver: (args: ReadonlyArray<string>) => launch(apiserverProgram, runApiserver, args),
  "controller-manager": (args: ReadonlyArray<string>) => launch(controllerManagerProgram, runControllerManager, args),
  scheduler: (args: ReadonlyArray<string>) => launch(schedulerProgram, runScheduler, args),
  kubelet: (args: ReadonlyArray<string>) => launch(kubeletProgram, runKubelet, args)
} as const

export type ComponentName = keyof typeof components
export const isComponentName = (name: string): name is ComponentName => Object.hasOwn(components, name)

/** What a component's command line may end in, besides being interrupted. */
export type ComponentFailure = Effect.Error<ReturnType<(typeof components)[ComponentName]>>

/** Runs a component until it ends or is interrupted. */
export const runComponent = (
  name: ComponentName,
  args: ReadonlyArray<string>
): Effect.Effect<void, ComponentFailure, Host | FileSystem.FileSystem | Path.Path> => components[name](args)
