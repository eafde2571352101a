import type { WatchEvent } from "@rollcall/cluster"
import type { ChannelOptions } from "./ChannelOptions.ts"
import { type Selection, selectFrom } from "./Selection.ts"

/** Returns a bookmark of the present revision; `initialEventsEnd` marks the one after the initial events. */
export const bookmarkEvent = ({ definition, revision }: ChannelOptions, initialEventsEnd: boolean): WatchEvent => {
  const { apiVersion, resource } = definition
  const annotations = { "k8s.io/initial-events-end": "true" }
  const metadata = { resourceVersion: String(revision()), ...(initialEventsEnd ? { annotations } : {}) }
  return { type: "BOOKMARK", object: { apiVersion, kind: resource.kind, metadata } }
}

/** Returns the selected objects as ADDED events, and the bookmark after them if it is wanted. */
export const initialEvents = (
  options: ChannelOptions,
  selection: Selection,
  bookmarkInitialEnd: boolean
): ReadonlyArray<WatchEvent> => {
  const events: Array<WatchEvent> = []
  const asShown = options.definition.strategy?.asShown
  selectFrom(options.cache, selection, (object) => events.push({ type: "ADDED", object: asShown?.(object) ?? object }))
  if (bookmarkInitialEnd) events.push(bookmarkEvent(options, true))
  return events
}
