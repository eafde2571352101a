import * as Effect from "effect/Effect"

/** Runs a kubectl command line, from its verb on, against the cluster of a kubeconfig. Returns the exit code. */
export const runKubectl = (args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./runKubectl.ts")),
    (loaded) => loaded.runKubectl(args)
  )
