import { expired, type KubeObject, type Status, unknownError } from "@rollcall/api"
import type { Entry, RangePage } from "@rollcall/store"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import { withStoredRevision } from "../watch/Occurrence.ts"
import type { Selection } from "../watch/Selection.ts"
import { refuseOnError } from "./continuations.ts"
import { type ContinuePoint, continueAfter, encodeContinue, keyBefore } from "./continueToken.ts"
import { storeErrorStatus } from "./create.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A page of a list. */
export interface Page {
  readonly items: ReadonlyArray<KubeObject>
  /** The revision that the whole list shows. */
  readonly revision: number
  /** The token of the next page; absent on the last one. */
  readonly continue?: string
  /** The number of objects on later pages; absent on the last page, and for lists with a selector. */
  readonly remaining?: number
}

/** Which page to read: `from` for a later page, otherwise `revision`. */
export interface PageRequest {
  /** Where an earlier page ended. */
  readonly from?: ContinuePoint
  /** The revision of a first page, which has no token; absent for the newest. */
  readonly revision?: number
  /** The maximum number of objects. If it is absent or 0, there is none. */
  readonly limit?: number | undefined
  /** Whether one object is selected by its name, which nothing follows. */
  readonly isOne?: boolean
}

/**
 * Reads the entries after a store key, or from the start if `after` is undefined, at a revision, or at the newest one if
 * `at` is undefined.
 */
type Read = (after: string | undefined, at: number | undefined) => void

/** The maximum number of entries to read from the store at once. */
const CHUNK_ENTRIES = 500

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
  const { channel, definition } = base?.state ?? state
  const { prefix } = definition
  const converted = base?.converted
  const toOwnForm = (object: KubeObject) =>
    converted === undefined ? (base?.view.fromStorage(object) ?? object) : converted.of(object)
  const { from } = request
  const revision = from === undefined ? request.revision : from.revision < 0 ? undefined : from.revision
  const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Number.POSITIVE_INFINITY
  const items: Array<KubeObject> = []
  const scanPrefix = selection.namespace === undefined ? prefix : `${prefix}${selection.namespace}/`

  /** Adds the selected objects; returns the entry at which the page is full, if it is. */
  const addItems = (entries: ReadonlyArray<Entry>, stored: ReadonlyArray<KubeObject>): Entry | undefined => {
    for (const [index, entry] of entries.entries()) {
      const object = toOwnForm(stored[index] as KubeObject)
      if (selection.matches === undefined || selection.matches(object)) items.push(object)
      if (items.length >= limit) return entry
    }
    return undefined
  }
  /** Answers with the items. `last` is the entry at which the page is full; without it the list ends here. */
  const finish = (page: RangePage, last: Entry | undefined) => {
    channel.counts.storeLists++
    channel.counts.storeReturned += items.length
    const unread = last === undefined ? 0 : page.remaining + (page.entries.length - 1 - page.entries.indexOf(last))
    const isComplete = last === undefined || unread === 0 || request.isOne === true
    if (isComplete) return answer({ items, revision: page.revision })
    const key = last.key.slice(scanPrefix.length)
    // A server that lists from its cache takes the key without the slash before it for the prefix.
    const token = encodeContinue(continueAfter(page.revision, definition.isUncached ? key : `/${key}`))
    answer({ items, revision: page.revision, continue: token, ...(selection.hasSelector ? {} : { remaining: unread }) })
  }
  const read: Read = (after, at) => {
    // Without a limit everything is read at once.
    const options = limit === Number.POSITIVE_INFINITY ? {} : { limit: Math.min(CHUNK_ENTRIES, Math.max(limit, 1)) }
    core.registry.range(
      definition,
      scanPrefix,
      { ...options, ...(after === undefined ? {} : { after }), ...(at === undefined ? {} : { revision: at }) },
      refuseOnError(core, refuse, (result) => {
        if (Result.isFailure(result)) {
          if (result.failure._tag === "StoreFailure") return refuse(storeErrorStatus(result.failure))
          return refuse(from === undefined ? revisionTooOldStatus : tokenTooOldStatus(from))
        }
        const page = result.success
        channel.counts.storeFetched += page.entries.length
        const stored = page.entries.map((entry) => withStoredRevision(entry.value as KubeObject, entry.modRevision))
        const add = (why: string | undefined) => {
          if (why !== undefined) return refuse(unknownError(why))
          const last = addItems(page.entries, stored)
          const end = page.entries[page.entries.length - 1]
          if (last === undefined && page.remaining > 0 && end !== undefined) return read(end.key, page.revision)
          finish(page, last)
        }
        if (converted === undefined) add(undefined)
        else converted.prepareAll(stored, refuseOnError(core, refuse, add))
      })
    )
  }
  read(from === undefined ? undefined : scanPrefix + keyBefore(from), revision)
}

const revisionTooOldStatus: Status = expired("The resourceVersion for the provided list is too old.")

/** Returns the error for a token whose revision is compacted. It has a token that continues at the newest revision. */
const tokenTooOldStatus = (point: ContinuePoint): Status => {
  const status = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list."
  )
  return { ...status, metadata: { continue: encodeContinue({ ...point, revision: -1 }) } }
}
