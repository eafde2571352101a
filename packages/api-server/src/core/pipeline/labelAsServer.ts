import * as Result from "effect/Result"
import { rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"
import { server } from "./updateStatusAsServer.ts"

const ATTEMPTS = 5

/** Adds labels to an object as the server itself. A failure is logged: nobody waits for the labels. */
export const labelAsServer = (
  core: ServerCore,
  kind: string,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  labels: Readonly<Record<string, string>>
): void => {
  const state = core.registry.kind(kind)
  if (state === undefined) throw new Error(`${kind} is not served`)
  rewrite(
    core,
    server,
    { state, namespace, name, subresource: undefined, dryRun: false, manager: "kube-apiserver" },
    (stored) => {
      const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, ...labels } }
      return Result.succeed({ ...stored, metadata })
    },
    { attempts: ATTEMPTS },
    (result) => {
      if (Result.isSuccess(result) || result.failure.reason === "NotFound") return
      core.timers.handleError("labels", new Error(result.failure.message), { kind, namespace, name })
    }
  )
}
