import { badRequest, genericResponse, type KubeObject, type Status } from "@rollcall/api"
import type { DeleteCollectionRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { deleteOptionsRefusal } from "../deletion/Deletion.ts"
import type { Target } from "../registry/KindState.ts"
import type { Steps } from "../turns/Steps.ts"
import { selectFrom, selectionOf } from "../watch/Selection.ts"
import { ATTEMPTS, type Deleted, removeObject } from "./remove.ts"
import { inSequence, panicked } from "./resumed.ts"
import type { Handler } from "./ServerCore.ts"

/**
 * The number of deletions that share a write to disk and a time slice. Upstream: `--delete-collection-workers`, by
 * default one at a time.
 */
const BATCH = 64

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
    if (last === undefined || last.length === BATCH) batches.push([target])
    else last.push(target)
  })

  const items: Array<KubeObject> = []
  let failure: Status | undefined
  const take = (results: ReadonlyArray<Result.Result<Deleted, Status>>) => {
    for (const result of results) {
      if (Result.isSuccess(result)) {
        items.push(result.success.object)
        exchange.note(200, result.success.object)
        // Not found: another request has deleted it.
      } else if (result.failure.reason !== "NotFound") failure ??= result.failure
    }
  }
  const removing = function* (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void): Steps<void> {
    const results: Array<Result.Result<Deleted, Status>> = []
    let open = targets.length
    targets.forEach((target, index) => {
      removeObject(core, exchange.identity, target, options, ATTEMPTS, (result) => {
        results[index] = result
        if (--open > 0) return
        take(results)
        next(failure === undefined)
      })
    })
  }
  const removeBatch = (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void) =>
    core.turns.runNext(exchange.identity.user, removing(targets, next), (error) => {
      core.timers.handleError("request", error)
      exchange.refuse(panicked)
    })
  inSequence(batches, removeBatch, () => {
    if (failure !== undefined) return exchange.refuse(failure)
    const { apiVersion, resource } = definition
    const metadata = { resourceVersion: String(core.registry.revision) }
    exchange.ok({ kind: `${resource.kind}List`, apiVersion, metadata, items }, 200, undefined)
  })
}
