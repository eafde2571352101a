import { badRequest, genericResponse, type KubeObject, type Status } from "@rollcall/api"
import type { DeleteCollectionRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { deleteOptionsRefusal } from "../deletion/Deletion.ts"
import type { Target } from "../registry/KindState.ts"
import type { Steps } from "../turns/Steps.ts"
import { selectFrom, selectionOf } from "../watch/Selection.ts"
import { panicStatus, runInSequence } from "./continuations.ts"
import { DELETE_ATTEMPTS, type Deleted, removeObject } from "./remove.ts"
import type { Handler } from "./ServerCore.ts"

/**
 * The number of objects whose deletions share a write to disk and a time slice. Upstream deletes one object at a time by
 * default (`--delete-collection-workers`).
 */
const BATCH_OBJECTS = 64

/**
 * DELETE of a collection: deletes all selected objects in batches, each in its own time slice. After a failed deletion
 * no further batch starts. Upstream: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go,
 * DeleteCollection.
 */
export const removeCollection: Handler<DeleteCollectionRequest> = (core, exchange, state, request) => {
  const { definition } = state
  if (definition.resource.kind === "Namespace") return exchange.refuse(genericResponse(405))
  const options = request.options ?? {}
  const refusal = deleteOptionsRefusal(options)
  if (refusal !== undefined) return exchange.refuse(refusal)
  const selection = selectionOf(definition, request)
  if (Result.isFailure(selection)) return exchange.refuse(badRequest(selection.failure.message))
  const dryRun = options.dryRun?.includes("All") ?? false
  const batches: Array<Array<Target>> = []
  selectFrom(state.cache, selection.success, ({ metadata: { name = "", namespace = "" } }) => {
    const last = batches.at(-1)
    const target = { state, namespace, name, subresource: undefined, dryRun }
    if (last === undefined || last.length === BATCH_OBJECTS) batches.push([target])
    else last.push(target)
  })

  const items: Array<KubeObject> = []
  let failure: Status | undefined
  const addResults = (results: ReadonlyArray<Result.Result<Deleted, Status>>) => {
    for (const result of results) {
      if (Result.isSuccess(result)) {
        items.push(result.success.object)
        exchange.auditObject(200, result.success.object)
        // Not found: another request has deleted it.
      } else if (result.failure.reason !== "NotFound") failure ??= result.failure
    }
  }
  // Without a yield, because a batch fits into one time slice.
  const removeBatchInSteps = function* (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void): Steps<void> {
    const results: Array<Result.Result<Deleted, Status>> = []
    let pendingCount = targets.length
    targets.forEach((target, index) => {
      removeObject(core, exchange.identity, target, options, DELETE_ATTEMPTS, (result) => {
        results[index] = result
        if (--pendingCount > 0) return
        addResults(results)
        next(failure === undefined)
      })
    })
  }
  const removeBatch = (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void) =>
    core.turns.runNext(exchange.identity.user, removeBatchInSteps(targets, next), (error) => {
      core.timers.handleError("request", error)
      exchange.refuse(panicStatus)
    })
  runInSequence(batches, removeBatch, () => {
    if (failure !== undefined) return exchange.refuse(failure)
    const { apiVersion, resource } = definition
    const metadata = { resourceVersion: String(core.registry.revision) }
    exchange.ok({ kind: `${resource.kind}List`, apiVersion, metadata, items }, 200, undefined)
  })
}
