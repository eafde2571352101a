import { buildLabelsOf, type VersionInfo } from "@rollcall/api"
import type { Family, MetricSet } from "@rollcall/time"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import { serverFamilies } from "../metrics/accessFamilies.ts"
import { requestFamilies } from "../metrics/requestFamilies.ts"
import type { Routes } from "../request/Routes.ts"
import type { NodeProxy } from "../resources/NodeProxy.ts"
import type { WatchServer } from "../resources/watches.ts"
import type { FeatureState } from "../root/FeatureState.ts"
import type { BodyReader } from "../wire/BodyReader.ts"
import type { Connections } from "../wire/Connections.ts"
import type { Unsent } from "../wire/Unsent.ts"

/** The parts of the server whose present state is shown. */
export interface GaugeSources {
  readonly server: ApiServerShape
  readonly routes: Routes
  readonly watches: WatchServer
  readonly unsent: Unsent
  readonly bodies: BodyReader
  readonly connections: Connections
  readonly nodeProxy: NodeProxy
  readonly version: VersionInfo
  readonly features: ReadonlyArray<FeatureState>
}

/** Adds the metrics that are the present state of the server. */
export const addGauges = (set: MetricSet, sources: GaugeSources): void => {
  const { bodies, connections, nodeProxy, routes, server, unsent } = sources
  const one = (family: Family<never>, value: () => number) => set.read(family, () => [[{}, value()]])
  one(serverFamilies.unsentBytes, () => unsent.bytes)
  one(serverFamilies.unfinishedBodies, () => bodies.count)
  one(serverFamilies.connections, () => connections.size)
  one(serverFamilies.unidentifiedConnections, () => connections.unidentifiedSize)
  one(serverFamilies.proxiedRequests, () => nodeProxy.pending)
  one(serverFamilies.storeRevision, server.revision)
  // There is no audit backend, and no aggregated server.
  one(serverFamilies.auditEvents, () => 0)
  one(serverFamilies.auditRejections, () => 0)
  set.read(serverFamilies.unavailableApiServices, () =>
    [...routes.groups()].flatMap(([group, versions]) =>
      versions.map((version) => [{ name: `${version}.${group}` }, 0] as const)
    )
  )
  addWatches(set, sources.watches)
  addVersions(set, sources)
  addMetaMetrics(set)
}

const addWatches = (set: MetricSet, watches: WatchServer): void => {
  set.read(requestFamilies.longRunning, () =>
    watches.counts().map(
      ([
        {
          resource: { group, plural, version },
          scope
        },
        count
      ]) => [{ component: "apiserver", group, resource: plural, scope, subresource: "", verb: "WATCH", version }, count]
    )
  )
  set.read(requestFamilies.terminatedWatchers, () =>
    [...watches.terminated].map(([{ group, plural: resource }, count]) => [{ group, resource }, count])
  )
}

const addVersions = (set: MetricSet, { features, version }: GaugeSources): void => {
  const { emulationMajor, emulationMinor, major, minCompatibilityMajor, minCompatibilityMinor, minor } = version
  const versions = {
    binary: `${major}.${minor}`,
    component: "kube",
    emulation: `${emulationMajor}.${emulationMinor}`,
    min_compat: `${minCompatibilityMajor}.${minCompatibilityMinor}`
  }
  set.read(serverFamilies.buildInfo, () => [[buildLabelsOf(version), 1]])
  set.read(serverFamilies.versionInfo, () => [[versions, 1]])
  set.read(serverFamilies.featureEnabled, () =>
    features.map(({ isEnabled, name, stage }) => [{ name, stage }, isEnabled ? 1 : 0])
  )
}

/** Adds the metrics about metrics. No family is hidden or disabled. */
const addMetaMetrics = (set: MetricSet): void => {
  set.read(serverFamilies.registered, () => {
    const counts = new Map<string, number>()
    for (const { stability } of set.families()) {
      if (stability !== undefined) counts.set(stability, (counts.get(stability) ?? 0) + 1)
    }
    return [...counts].map(([stability_level, count]) => [{ stability_level, deprecated_version: "" }, count])
  })
  set.read(serverFamilies.hidden, () => [[{}, 0]])
  set.read(serverFamilies.disabled, () => [[{}, 0]])
  set.read(serverFamilies.droppedSeries, () =>
    set
      .dropped()
      .filter(([, count]) => count > 0)
      .map(([family, count]) => [{ family }, count])
  )
}
