import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import type { UserInfo } from "../admission/Admission.ts"
import { refuseOnError } from "./continuations.ts"
import type { Done } from "./Exchange.ts"
import { rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"

/** The user of the server's own requests. Upstream: apiserver/pkg/server/options/serving_with_loopback.go. */
export const server: UserInfo = { user: "system:apiserver", groups: ["system:authenticated", "system:masters"] }

/**
 * Writes the status of an object as the server itself. After a conflict, the cache has the newer state when `done` is
 * called.
 */
export const updateStatusAsServer = (core: ServerCore, object: KubeObject, done: Done): void => {
  const { name = "", namespace = "" } = object.metadata
  const state = core.registry.kind(object.kind)
  if (state === undefined) throw new Error(`${object.kind} is not served`)
  const target = { state, namespace, name, subresource: "status", dryRun: false, manager: "kube-apiserver" } as const
  rewrite(
    core,
    server,
    target,
    () => Result.succeed(object),
    { attempts: 1 },
    (result) => {
      if (Result.isSuccess(result) || result.failure.reason !== "Conflict") return done(result)
      const refuse = () => done(result)
      core.registry.whenCurrent(refuseOnError(core, refuse, refuse))
    }
  )
}
