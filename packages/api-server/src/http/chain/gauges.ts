import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { InFlightCounts } from "../call/Call.ts"
import type { Gauge } from "../metrics/Metrics.ts"
import type { NodeProxy } from "../resources/NodeProxy.ts"
import type { WatchServer } from "../resources/watches.ts"
import type { BodyReader } from "../wire/BodyReader.ts"
import type { Connections } from "../wire/Connections.ts"
import type { Unsent } from "../wire/Unsent.ts"

/** Returns the name of a resource with its group: `pods`, `deployments.apps`. */
const nameOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`

/** The parts of the server that gauges read. */
export interface GaugeSources {
  readonly server: ApiServerShape
  readonly inFlight: InFlightCounts
  readonly watches: WatchServer
  readonly unsent: Unsent
  readonly bodies: BodyReader
  readonly connections: Connections
  readonly nodeProxy: NodeProxy
}

/** The gauges of the server itself. */
export const gaugesOf = (
  { bodies, connections, inFlight, nodeProxy, server: { registry, revision }, unsent, watches }: GaugeSources,
  more: ReadonlyArray<Gauge>
): ReadonlyArray<Gauge> => [
  {
    name: "apiserver_current_inflight_requests",
    help: "Requests in flight.",
    values: () => [
      [{ request_kind: "mutating" }, inFlight.mutating],
      [{ request_kind: "readOnly" }, inFlight.readonly]
    ]
  },
  {
    name: "apiserver_registered_watchers",
    help: "Open watches, by kind.",
    values: () => [...watches.counts()].map(([{ group, kind, version }, count]) => [{ group, kind, version }, count])
  },
  {
    name: "apiserver_terminated_watchers_total",
    type: "counter",
    help: "Watches that were cut off because their client did not read, by resource.",
    values: () => [...watches.terminated].map(([{ group, plural: resource }, count]) => [{ group, resource }, count])
  },
  {
    name: "apiserver_storage_objects",
    help: "Objects that are stored, by resource.",
    values: () =>
      [...registry.states()]
        .filter(({ base }) => base === undefined)
        .map(({ cache, definition }) => [{ resource: nameOf(definition.resource) }, cache.size])
  },
  {
    name: "rollcall_unsent_bytes",
    help: "Bytes of answers and watches that clients have not read yet.",
    values: () => [[{}, unsent.bytes]]
  },
  {
    name: "rollcall_unfinished_bodies",
    help: "Bodies of requests that are not complete yet.",
    values: () => [[{}, bodies.count]]
  },
  {
    name: "rollcall_connections",
    help: "Open connections.",
    values: () => [[{}, connections.size]]
  },
  {
    name: "rollcall_unidentified_connections",
    help: "Connections on which no caller has been authenticated yet.",
    values: () => [[{}, connections.unidentifiedSize]]
  },
  {
    name: "rollcall_proxied_requests",
    help: "Requests that wait for the kubelet of a node.",
    values: () => [[{}, nodeProxy.pending]]
  },
  { name: "rollcall_store_revision", help: "The newest revision that reads return.", values: () => [[{}, revision()]] },
  ...more
]
