import type { KubeObject, ReplicaSet, ReplicaSetStatus } from "@rollcall/api"
import type { ClusterError, Connection } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { ask } from "../Requests.ts"
import { type SetKind, withSetStatus } from "./SetKind.ts"

/** Writes a set's status. After a failure it tries once more, on the current version. Upstream: updateReplicaSetStatus. */
export const writeStatus = (
  connection: Connection,
  kind: SetKind,
  replicaSet: ReplicaSet,
  status: ReplicaSetStatus,
  done: (error: ClusterError | undefined) => void
): void => {
  const { name = "", namespace = "default" } = replicaSet.metadata
  const failureOf = (result: Result.Result<unknown, ClusterError>) =>
    Result.isFailure(result) ? result.failure : undefined
  const write = (object: KubeObject, onFailure: (failure: ClusterError | undefined) => void) =>
    ask(connection, { verb: "update", kind, namespace, name, subresource: "status", object }, (result) =>
      onFailure(failureOf(result))
    )
  write(withSetStatus(kind, replicaSet, status), (failure) => {
    if (failure === undefined) {
      done(undefined)
      return
    }
    ask<KubeObject>(connection, { verb: "get", kind, namespace, name }, (current) => {
      if (Result.isFailure(current)) done(current.failure)
      else write(withSetStatus(kind, current.success, status), done)
    })
  })
}
