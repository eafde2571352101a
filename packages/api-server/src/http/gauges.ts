import type { ApiServerShape } from "../ApiServer.ts"
import { type Gauge, label } from "./Metrics.ts"
import type { WatchServer } from "./watches.ts"

/** Requests that are being worked on. */
export interface InFlightCounts {
  readonly: number
  mutating: number
  /** Of paths that are no resources; not shown. */
  other: number
}

const nameOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`

/** What the server itself can tell at any time. */
export const gaugesOf = (
  { registry, revision }: ApiServerShape,
  inFlight: InFlightCounts,
  watches: WatchServer,
  more: ReadonlyArray<Gauge>
): ReadonlyArray<Gauge> => [
  {
    name: "apiserver_current_inflight_requests",
    help: "Requests that are being worked on.",
    values: () => [
      [label("request_kind", "mutating"), inFlight.mutating],
      [label("request_kind", "readOnly"), inFlight.readonly]
    ]
  },
  {
    name: "apiserver_registered_watchers",
    help: "Watches that are going on, by kind.",
    values: () =>
      [...watches.counts()].map(([{ group, kind, version }, count]) => [
        [label("group", group), label("kind", kind), label("version", version)].join(","),
        count
      ])
  },
  {
    name: "apiserver_storage_objects",
    help: "Objects that are stored, by resource.",
    values: () =>
      [...registry.states()]
        .filter(({ base }) => base === undefined)
        .map(({ cache, definition }) => [label("resource", nameOf(definition.resource)), cache.size])
  },
  { name: "rollcall_store_revision", help: "The newest revision that reads show.", values: () => [["", revision()]] },
  ...more
]
