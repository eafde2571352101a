import { join } from "node:path"
import {
  type Kubeconfig,
  kubeconfigFiles,
  processesOf,
  sharedName,
  shareKubeconfig,
  unshareKubeconfig
} from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"

/**
 * Merges a running cluster into the user's own kubeconfig. Checks before the start that this is possible. An end that
 * cannot remove the entries, because the file is locked or invalid by then, logs that: the next start of a cluster
 * removes them.
 */
export const kubeconfigSharing = Effect.fnUntraced(function* (name: string) {
  const { environment, homeFolder, hostname, processId } = yield* Host
  const options = {
    files: kubeconfigFiles({
      kubeconfig: environment.KUBECONFIG,
      defaultFile: join(homeFolder, ".kube", "config")
    }),
    name: name === "" ? undefined : name,
    processes: processesOf(hostname, processId)
  }
  yield* sharedName(options)
  return {
    /** Adds the entries, until the scope closes. */
    addUntilClosed: (config: Kubeconfig) =>
      Effect.acquireRelease(shareKubeconfig(config, options), (shared) =>
        unshareKubeconfig(shared, options).pipe(
          Effect.catchTag("InvalidInput", ({ message }) =>
            Effect.logWarning("Cannot take the cluster out of the kubeconfig").pipe(
              Effect.annotateLogs({ path: shared.file, context: shared.name, err: message })
            )
          )
        )
      )
  }
})
