import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { type ClusterError, ConnectionError, isGone, thrownBy } from "../ClusterError.ts"
import type { Connection, ListRequest } from "../Connection.ts"

const PAGE = 500

export interface ListSink {
  /** False once nobody waits for the list any more. */
  readonly isWanted: () => boolean
  readonly done: (objects: ReadonlyArray<KubeObject>, revision: string) => void
  readonly failed: (error: ClusterError) => void
}

interface ListBody {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: ReadonlyArray<KubeObject> | null
}

/** Without metadata there is no revision to watch from. */
const isList = (answer: unknown): answer is ListBody => {
  const { items, metadata } = (answer ?? {}) as Partial<ListBody>
  return typeof metadata === "object" && metadata !== null && (Array.isArray(items) || items == null)
}

/** The server has not seen that revision, and waited for it in vain. */
export const isTooLargeRevision = (error: ClusterError): boolean =>
  error._tag === "ApiError" &&
  error.reason === "Timeout" &&
  error.status.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true

/**
 * A whole list, in pages of 500 where the server pages; when a page can no longer be had, in one piece. A revision other than
 * "0" is served from memory only without a limit, so such a list is not paged. Returns what cancels the request for the page
 * under way. Upstream: client-go/tools/pager, cache/reflector.go.
 */
export const listAll = (
  connection: Connection,
  request: ListRequest,
  resourceVersion: string | undefined,
  { done, failed, isWanted }: ListSink
): (() => void) => {
  let cancel: (() => void) | undefined
  const whole = resourceVersion === undefined || resourceVersion === "" ? request : { ...request, resourceVersion }
  const isPaged = resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0"
  let objects: Array<KubeObject> = []
  let pages = 0
  const ask = (page: ListRequest): void => {
    try {
      send(page)
    } catch (error) {
      if (isWanted()) failed(thrownBy("list", error))
    }
  }
  const send = (page: ListRequest): void => {
    const turn = ++pages
    const stop = connection.send(page, (answer) => {
      if (!isWanted()) return
      if (Result.isFailure(answer)) {
        if (page.continue === undefined || !isGone(answer.failure)) return failed(answer.failure)
        objects = []
        return ask(whole)
      }
      if (!isList(answer.success)) return failed(new ConnectionError({ message: "list: the answer is no list" }))
      const { items, metadata } = answer.success
      const next = metadata.continue ?? ""
      if (next === "" && page.continue === undefined) return done(items ?? [], metadata.resourceVersion ?? "")
      for (const item of items ?? []) objects.push(item)
      if (next === "") done(objects, metadata.resourceVersion ?? "")
      else if (next === page.continue) failed(new ConnectionError({ message: "list: the server repeats a page" }))
      else ask({ ...request, limit: PAGE, continue: next })
    })
    // Answered within the call, a page may have asked for the next one already.
    if (turn === pages) cancel = stop
  }
  ask(isPaged ? { ...whole, limit: PAGE } : whole)
  return () => cancel?.()
}
