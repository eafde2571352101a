import type { KubeObject } from "@rollcall/api"
import { type Connection, isGone, type WatchEvent } from "@rollcall/cluster"
import { assertThat, type Ledger, type State, stateOf } from "./Ledger.ts"
import { keyOf, type LoadKind } from "./load.ts"

/**
 * A copy of one kind that is maintained by watches alone, across restarts of the server: each watch resumes at the last event
 * of the previous one.
 */
export interface Replica {
  readonly kind: LoadKind
  /** Starts a watch at the replica's revision. Errors in its events are returned by `problem`. */
  readonly follow: (connection: Connection) => void
  readonly stop: () => void
  /** Returns the revision up to which the copy is complete. */
  readonly revision: () => number
  /** The objects by key. */
  readonly state: ReadonlyMap<string, State>
  /** Restarts from a list, as after 410 Gone. */
  readonly reset: (items: ReadonlyArray<KubeObject>, revision: number) => void
  /** Whether the server answered 410 Gone, so that the replica must be reset from a list. */
  readonly isGone: () => boolean
  /** Returns the number of applied events. */
  readonly events: () => number
  /** Returns the first violation of the watch protocol in the events, or undefined. */
  readonly problem: () => string | undefined
}

export const makeReplica = (kind: LoadKind, ledger: Ledger): Replica => {
  const state = new Map<string, State>()
  let revision = 0
  let events = 0
  let gone = false
  let problem: string | undefined
  let cancel: (() => void) | undefined

  const applyEvent = (event: WatchEvent) => {
    if (event.type === "ERROR") {
      gone ||= event.object.code === 410
      return
    }
    const { metadata } = event.object
    const eventRevision = Number(metadata.resourceVersion)
    if (event.type === "BOOKMARK") {
      assertThat(eventRevision >= revision, () => `${kind}: a bookmark of ${eventRevision} after ${revision}`)
      revision = eventRevision
      return
    }
    assertThat(eventRevision > revision, () => `${kind}: an event of ${eventRevision} after ${revision}`)
    revision = eventRevision
    events++
    const key = keyOf(kind, metadata.name ?? "")
    const before = state.get(key)
    assertThat(
      (event.type === "ADDED") === (before === undefined),
      () => `${key}: ${event.type} at ${eventRevision} on top of ${before?.revision}`
    )
    if (event.type === "DELETED") {
      state.delete(key)
      ledger.deliver(String(eventRevision), `${key} deleted`)
    } else {
      const next = stateOf(event.object)
      state.set(key, next)
      ledger.deliver(String(eventRevision), `${key} ${next.mark}`)
    }
  }
  const recordProblem = (run: () => void) => {
    try {
      run()
    } catch (cause) {
      problem ??= cause instanceof Error ? cause.message : String(cause)
    }
  }
  return {
    kind,
    state,
    revision: () => revision,
    events: () => events,
    isGone: () => gone,
    problem: () => problem,
    stop: () => cancel?.(),
    reset: (items, listRevision) => {
      state.clear()
      for (const item of items) state.set(keyOf(kind, item.metadata.name ?? ""), stateOf(item))
      revision = listRevision
      gone = false
    },
    follow: (connection) => {
      cancel?.()
      const sink = {
        events: (batch: ReadonlyArray<WatchEvent>) => recordProblem(() => batch.forEach(applyEvent)),
        end: (error: Parameters<Parameters<Connection["watch"]>[1]["end"]>[0]) => {
          if (error !== undefined && isGone(error)) gone = true
        }
      }
      cancel = connection.watch(
        { verb: "watch", kind, resourceVersion: String(revision), allowWatchBookmarks: true },
        sink
      )
    }
  }
}
