import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { KindDefinition } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Registry } from "../../core/registry/Registry.ts"
import type { InFlightCounts } from "../call/Call.ts"
import type { Gauge } from "../metrics/Metrics.ts"
import type { NodeProxy } from "../resources/NodeProxy.ts"
import type { WatchServer } from "../resources/watches.ts"
import type { VersionInfo } from "../root/version.ts"
import type { BodyReader } from "../wire/BodyReader.ts"
import type { Connections } from "../wire/Connections.ts"
import type { Unsent } from "../wire/Unsent.ts"

/** Returns the name of a resource with its group: `pods`, `deployments.apps`. */
const nameOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`

/** Returns the kinds of which objects are stored. */
const stored = (registry: Registry): ReadonlyArray<KindState> =>
  [...registry.states()].filter(({ base }) => base === undefined)

const groupResource = ({ resource: { group, plural } }: KindDefinition) => ({ group, resource: plural })

const buildLabels = (version: VersionInfo) => ({
  build_date: version.buildDate,
  compiler: version.compiler,
  git_commit: version.gitCommit,
  git_tree_state: version.gitTreeState,
  git_version: version.gitVersion,
  go_version: version.goVersion,
  major: version.major,
  minor: version.minor,
  platform: version.platform
})

/** The parts of the server that gauges read. */
export interface GaugeSources {
  readonly server: ApiServerShape
  readonly inFlight: InFlightCounts
  readonly watches: WatchServer
  readonly unsent: Unsent
  readonly bodies: BodyReader
  readonly connections: Connections
  readonly nodeProxy: NodeProxy
  readonly version: VersionInfo
}

/** The gauges of the server itself. */
export const gaugesOf = (
  { bodies, connections, inFlight, nodeProxy, server: { registry, revision }, unsent, version, watches }: GaugeSources,
  more: ReadonlyArray<Gauge>
): ReadonlyArray<Gauge> => [
  {
    name: "apiserver_current_inflight_requests",
    help: "[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
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
    help: "[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    values: () =>
      [...stored(registry)].map(({ cache, definition }) => [{ resource: nameOf(definition.resource) }, cache.size])
  },
  {
    name: "apiserver_resource_objects",
    help: "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    values: () => [...stored(registry)].map(({ cache, definition }) => [groupResource(definition), cache.size])
  },
  {
    name: "apiserver_watch_cache_resource_version",
    help: "[ALPHA] Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.",
    values: () => [...stored(registry)].map(({ definition }) => [groupResource(definition), revision()])
  },
  {
    name: "apiserver_longrunning_requests",
    help: "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
    values: () =>
      [...watches.counts()].map(([{ group, plural: resource, version }, count]) => [
        { component: "apiserver", group, resource, scope: "cluster", subresource: "", verb: "WATCH", version },
        count
      ])
  },
  {
    name: "kubernetes_build_info",
    help: "[ALPHA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    values: () => [[buildLabels(version), 1]]
  },
  {
    name: "apiserver_audit_event_total",
    type: "counter",
    help: "[ALPHA] Counter of audit events generated and sent to the audit backend.",
    values: () => [[{}, 0]]
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
