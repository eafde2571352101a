import { expired, type KubeObject, type Status } from "@rollcall/api"
import type { Entry, RangePage } from "@rollcall/store"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import { withStoredRevision } from "../watch/Occurrence.ts"
import type { Selection } from "../watch/Selection.ts"
import { type ContinuePoint, decodeContinue, encodeContinue } from "./continueToken.ts"
import { storeTrouble } from "./create.ts"
import { resumed } from "./resumed.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A page of a list. */
export interface Page {
  readonly items: ReadonlyArray<KubeObject>
  readonly revision: number
  readonly continue?: string
  readonly remaining?: number
}

export interface PageRequest {
  /** The continue token of an earlier page, or the revision to start at. */
  readonly token?: string
  readonly revision?: number
  /** Absent or 0: unlimited. */
  readonly limit?: number | undefined
}

type Read = (after: string | undefined, at: number | undefined) => void

const CHUNK = 500

/**
 * Reads a page of a list at one revision, from the store's own history: later pages show the same state as the first
 * one. Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go, GetList.
 */
export const pageFromStore = (
  core: ServerCore,
  state: KindState,
  selection: Selection,
  request: PageRequest,
  answer: (page: Page) => void,
  refuse: (status: Status) => void
) => {
  const { base } = state
  const { prefix } = (base?.state ?? state).definition
  const shown = (object: KubeObject) => (base === undefined ? object : base.view.fromStorage(object))
  const point = request.token === undefined ? undefined : decodeContinue(request.token)
  if (point !== undefined && Result.isFailure(point)) return refuse(point.failure)
  const from: ContinuePoint | undefined = point?.success
  const revision = from === undefined ? request.revision : from.revision === -1 ? undefined : from.revision
  const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Number.POSITIVE_INFINITY
  const items: Array<KubeObject> = []
  const under = selection.namespace === undefined ? prefix : `${prefix}${selection.namespace}/`

  const take = (entries: ReadonlyArray<Entry>): Entry | undefined => {
    for (const entry of entries) {
      const object = shown(withStoredRevision(entry.value as KubeObject, entry.modRevision))
      if (selection.matches === undefined || selection.matches(object)) items.push(object)
      if (items.length >= limit) return entry
    }
    return undefined
  }
  const finish = (page: RangePage, last: Entry | undefined) => {
    const unread = last === undefined ? 0 : page.remaining + (page.entries.length - 1 - page.entries.indexOf(last))
    if (last === undefined || unread === 0) return answer({ items, revision: page.revision })
    const token = encodeContinue({ revision: page.revision, after: `/${last.key.slice(prefix.length)}` })
    answer({ items, revision: page.revision, continue: token, ...(selection.hasSelector ? {} : { remaining: unread }) })
  }
  const read: Read = (after, at) => {
    const wanted = Math.min(CHUNK, Math.max(limit, 1))
    const options = { ...(limit === Number.POSITIVE_INFINITY ? {} : { limit: wanted }) }
    core.registry.range(
      under,
      { ...options, ...(after === undefined ? {} : { after }), ...(at === undefined ? {} : { revision: at }) },
      resumed(core, refuse, (result) => {
        if (Result.isFailure(result)) {
          if (result.failure._tag === "StoreFailure") return refuse(storeTrouble(result.failure))
          return refuse(from === undefined ? tooOld : tooOldToContinue(from))
        }
        const page = result.success
        const last = take(page.entries)
        const end = page.entries[page.entries.length - 1]
        if (last === undefined && page.remaining > 0 && end !== undefined) return read(end.key, page.revision)
        finish(page, last)
      })
    )
  }
  read(from === undefined ? undefined : prefix + from.after.slice(1), revision)
}

const tooOld: Status = expired("The resourceVersion for the provided list is too old.")

/**
 * Returns an error with a token that continues at the newest state, for clients that prefer an inconsistent list to
 * none.
 */
const tooOldToContinue = (point: ContinuePoint): Status => {
  const status = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list."
  )
  return { ...status, metadata: { continue: encodeContinue({ revision: -1, after: point.after }) } }
}
