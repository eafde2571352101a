import type { ReplicaSet, ReplicaSetStatus } from "@rollcall/api"
import { type ClusterError, type Connection, isConflict } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { ask, updateStatus } from "../Requests.ts"

/** Writes a set's status. After a conflict it tries once more, on the current version of the set. */
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
    ask<ReplicaSet>(connection, { verb: "get", kind: "ReplicaSet", namespace, name }, (current) => {
      if (Result.isFailure(current)) done(current.failure)
      else updateStatus(connection, "ReplicaSet", { ...current.success, status }, (second) => done(failureOf(second)))
    })
  })
}
