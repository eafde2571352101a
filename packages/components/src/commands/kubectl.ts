import * as Effect from "effect/Effect"

/** One of kubectl's commands against the cluster of a kubeconfig, from its verb on. Gives the exit code. */
export const runKubectl = (args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./runKubectl.ts")),
    (loaded) => loaded.runKubectl(args)
  )
