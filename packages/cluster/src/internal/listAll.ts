import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { type ClusterError, ConnectionError, connectionErrorFrom, isGone } from "../ClusterError.ts"
import type { Connection, ListRequest } from "../Connection.ts"

const PAGE_SIZE = 500

export interface ListSink {
  /** False once the caller no longer waits for the list. */
  readonly isCurrent: () => boolean
  readonly done: (objects: ReadonlyArray<KubeObject>, revision: string) => void
  readonly failed: (error: ClusterError) => void
}

interface ListBody {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: ReadonlyArray<KubeObject> | null
}

/** Whether the answer is a list. It must have metadata, because without it there is no revision to watch from. */
const isList = (answer: unknown): answer is ListBody => {
  const { items, metadata } = (answer ?? {}) as Partial<ListBody>
  return typeof metadata === "object" && metadata !== null && (Array.isArray(items) || items == null)
}

/** Whether the server has not reached the requested revision, and has waited for it without success. */
export const isTooLargeRevision = (error: ClusterError): boolean =>
  error._tag === "ApiError" &&
  error.reason === "Timeout" &&
  error.status.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true

/**
 * Reads a whole list, in pages of 500 where the server pages; if the continue token expires, it lists again in one piece.
 * A revision other than "0" is served from the watch cache only without a limit, so such a list is not paged. Returns a
 * function that cancels the request in flight. Upstream: client-go/tools/pager, cache/reflector.go.
 */
export const listAll = (
  connection: Connection,
  request: ListRequest,
  resourceVersion: string | undefined,
  { done, failed, isCurrent }: ListSink
): (() => void) => {
  let cancel: (() => void) | undefined
  const unpagedRequest =
    resourceVersion === undefined || resourceVersion === "" ? request : { ...request, resourceVersion }
  const isPaged = resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0"
  let objects: Array<KubeObject> = []
  let pages = 0
  const requestPage = (page: ListRequest): void => {
    try {
      send(page)
    } catch (error) {
      if (isCurrent()) failed(connectionErrorFrom("list", error))
    }
  }
  const send = (page: ListRequest): void => {
    const number = ++pages
    const stop = connection.send(page, (answer) => {
      if (!isCurrent()) return
      if (Result.isFailure(answer)) {
        if (page.continue === undefined || !isGone(answer.failure)) return failed(answer.failure)
        objects = []
        return requestPage(unpagedRequest)
      }
      if (!isList(answer.success)) return failed(new ConnectionError({ message: "list: the response is not a list" }))
      const { items, metadata } = answer.success
      const next = metadata.continue ?? ""
      if (next === "" && page.continue === undefined) return done(items ?? [], metadata.resourceVersion ?? "")
      for (const item of items ?? []) objects.push(item)
      if (next === "") done(objects, metadata.resourceVersion ?? "")
      else if (next === page.continue)
        failed(new ConnectionError({ message: "list: the server returned the same continue token again" }))
      else requestPage({ ...request, limit: PAGE_SIZE, continue: next })
    })
    // A page that was answered within the call may have requested the next one already.
    if (number === pages) cancel = stop
  }
  requestPage(isPaged ? { ...unpagedRequest, limit: PAGE_SIZE } : unpagedRequest)
  return () => cancel?.()
}
