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
 * The user's own kubeconfig, for a cluster to be in as long as it runs. Whether it can be is known before anything is begun. An end
 * that cannot take the entries out, because the file is locked or broken by then, says so: the next start of a cluster does.
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
    enter: (config: Kubeconfig) =>
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
