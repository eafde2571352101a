import { faultProgram, runFault } from "../commands/fault.ts"
import { nodesProgram, runNodes } from "../commands/nodes.ts"
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
