import { type DeleteOptions, genericResponse, type Status } from "@rollcall/api"
import type { DeleteCollectionRequest } from "@rollcall/cluster"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { deleteOptionsRefusal } from "../deletion/Deletion.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import { selectionOf } from "../watch/Selection.ts"
import { panicStatus, runInSequence } from "./continuations.ts"
import type { Exchange } from "./Exchange.ts"
import type { Page } from "./pages.ts"
import { listOf, listPage } from "./read.ts"
import { DELETE_ATTEMPTS, type Deleted, deletionWarning, removeObject } from "./remove.ts"
import type { Handler, ServerCore } from "./ServerCore.ts"

/**
 * The number of objects whose deletions share a write to disk and a time slice. Upstream deletes one object at a time by
 * default (`--delete-collection-workers`).
 */
const BATCH_OBJECTS = 64

/**
 * DELETE of a collection: lists it, and deletes the objects of the list in batches, each in its own time slice. After a
 * failed deletion no further one starts; an object is deleted when those before it are admitted, not when they are stored. The response is the list as it was. Upstream: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go,
 * DeleteCollection.
 */
export const removeCollection: Handler<DeleteCollectionRequest> = (core, exchange, state, request) => {
  const { definition } = state
  if (definition.resource.kind === "Namespace") return exchange.refuse(genericResponse(405))
  const options = request.options ?? {}
  const refusal = deleteOptionsRefusal(options)
  if (refusal !== undefined) return exchange.refuse(refusal)
  // A selector that is wrong is refused before the kind has its say.
  const warning = deletionWarning(definition, options)
  if (warning !== undefined && Result.isSuccess(selectionOf(definition, request))) exchange.warn(warning)
  const dryRun = options.dryRun?.includes("All") ?? false
  listPage(
    core,
    state,
    { ...request, isPaged: true },
    (page) => removePage(core, exchange, state, page, options, dryRun),
    (status) => exchange.refuse(status)
  )
}

/** Whether an object could not be deleted. One that is not found has been deleted by another request. */
const isRefusal = (result: Result.Result<Deleted, Status>): result is Result.Failure<Deleted, Status> =>
  Result.isFailure(result) && result.failure.reason !== "NotFound"

/** Deletes the objects of a list, and answers with that list. */
const removePage = (
  core: ServerCore,
  exchange: Exchange,
  state: KindState,
  page: Page,
  options: DeleteOptions,
  dryRun: boolean
): void => {
  const batches: Array<Array<Target>> = []
  for (const { metadata } of page.items) {
    const { name = "", namespace = "" } = metadata
    const last = batches.at(-1)
    const target = { state, namespace, name, subresource: undefined, dryRun }
    if (last === undefined || last.length === BATCH_OBJECTS) batches.push([target])
    else last.push(target)
  }

  let failure: Status | undefined
  const addResults = (results: ReadonlyArray<Result.Result<Deleted, Status>>) => {
    for (const result of results) {
      if (Result.isSuccess(result)) exchange.auditObject(200, result.success.object)
      else if (isRefusal(result)) failure ??= result.failure
    }
  }
  // Without a yield, because a batch fits into one time slice.
  const removeBatchInSteps = function* (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void): Steps<void> {
    const results: Array<Result.Result<Deleted, Status>> = []
    let pendingCount = 0
    let isOver = false
    const removeFrom = (index: number): void => {
      const target = targets[index]
      if (target === undefined || isOver) {
        if (pendingCount > 0) return
        addResults(results)
        next(failure === undefined)
        return
      }
      let hasNext = false
      const goOn = () => {
        if (hasNext) return
        hasNext = true
        removeFrom(index + 1)
      }
      pendingCount++
      const onRemoved = (result: Result.Result<Deleted, Status>) => {
        results.push(result)
        pendingCount--
        if (isRefusal(result)) isOver = true
        if (hasNext) removeFrom(targets.length)
        else goOn()
      }
      removeObject(core, exchange.identity, target, options, DELETE_ATTEMPTS, onRemoved, exchange, goOn)
    }
    removeFrom(0)
  }
  const removeBatch = (targets: ReadonlyArray<Target>, next: (proceed: boolean) => void) =>
    core.turns.runNext(exchange.identity.user, removeBatchInSteps(targets, next), (error) => {
      core.timers.handleError("request", error)
      exchange.refuse(panicStatus)
    })
  runInSequence(batches, removeBatch, () => {
    if (failure !== undefined) return exchange.refuse(failure)
    exchange.ok(listOf(state, page), 200, undefined)
  })
}
