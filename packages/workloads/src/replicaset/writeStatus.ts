import type { ReplicaSet, ReplicaSetStatus } from "@rollcall/api"
import { type ClusterError, type Connection, isConflict } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { ask, updateStatus } from "../Requests.ts"

/** Writes a set's status; after a conflict once more over the current version. */
export const writeStatus = (
  connection: Connection,
  replicaSet: ReplicaSet,
  status: ReplicaSetStatus,
  done: (error: ClusterError | undefined) => void
): void => {
  const { name = "", namespace = "default" } = replicaSet.metadata
  const failureOf = (result: Result.Result<unknown, ClusterError>) =>
    Result.isFailure(result) ? result.failure : undefined
  updateStatus(connection, "ReplicaSet", { ...replicaSet, status }, (first) => {
    const failure = failureOf(first)
    if (failure === undefined || !isConflict(failure)) {
      done(failure)
      return
    }
    ask<ReplicaSet>(connection, { verb: "get", kind: "ReplicaSet", namespace, name }, (fresh) => {
      if (Result.isFailure(fresh)) done(fresh.failure)
      else updateStatus(connection, "ReplicaSet", { ...fresh.success, status }, (second) => done(failureOf(second)))
    })
  })
}
