import type { Program } from "../flags/Program.ts"
import type { ComponentName } from "./index.ts"

/** The command line of a component, imported on demand, and its line in a list of commands. */
export interface ProgramTable {
  readonly summary: string
  readonly load: () => Promise<Program>
}

/** The command lines of the components, without the code that runs them, for help and completion. */
export const programs: Readonly<Record<ComponentName, ProgramTable>> = {
  up: {
    summary: "Run a live cluster in this process: API server, controllers, scheduler, modelled nodes.",
    load: () => import("./up.ts").then(({ upProgram }) => upProgram)
  },
  apiserver: {
    summary: "Serve the Kubernetes API on a store in one file: kube-apiserver.",
    load: () => import("./apiserver.ts").then(({ apiserverProgram }) => apiserverProgram)
  },
  "controller-manager": {
    summary: "Run the controllers against a cluster: kube-controller-manager.",
    load: () => import("./controllerManager.ts").then(({ controllerManagerProgram }) => controllerManagerProgram)
  },
  "cloud-controller-manager": {
    summary: "Run the controllers of a modelled cloud against a cluster: cloud-controller-manager.",
    load: () =>
      import("./cloudControllerManager.ts").then(({ cloudControllerManagerProgram }) => cloudControllerManagerProgram)
  },
  scheduler: {
    summary: "Assign the pods of a cluster to nodes: kube-scheduler.",
    load: () => import("./scheduler.ts").then(({ schedulerProgram }) => schedulerProgram)
  },
  kubelet: {
    summary: "Run one kubelet on a modelled machine, or a fleet of them.",
    load: () => import("./kubelet.ts").then(({ kubeletProgram }) => kubeletProgram)
  },
  fault: {
    summary: "Start, list and end faults of the nodes of a live cluster.",
    load: () => import("../commands/fault.ts").then(({ faultProgram }) => faultProgram)
  },
  nodes: {
    summary: "Add modelled nodes to a live cluster, or remove some.",
    load: () => import("../commands/nodes.ts").then(({ nodesProgram }) => nodesProgram)
  }
}

export type { ComponentName, Program }
