import { type Family, type MetricSet, measuredBy, type ReadSample } from "@rollcall/time"
import type { KindCounts } from "../metrics/KindCounts.ts"
import { storeFamilies, watchCacheFamilies } from "../metrics/storageFamilies.ts"
import type { KindState } from "./KindState.ts"
import type { Registry } from "./Registry.ts"

type ResourceLabel = "group" | "resource"

/** The digits of a resource version that are shown: as many as a float has. */
const SHOWN_DIGITS = 1e15

/** Returns the name of a resource with its group: `pods`, `deployments.apps`. */
const nameOf = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`

/** Adds the metrics of stored objects and of the watch cache, which are read when the page is. */
export const addRegistryMetrics = (set: MetricSet, registry: Registry): void => {
  /** The kinds of which objects are stored. */
  const stored = (): ReadonlyArray<KindState> => [...registry.states()].filter(({ base }) => base === undefined)
  const labelsOf = ({ definition: { resource } }: KindState) => ({ group: resource.group, resource: resource.plural })
  /** Adds a family with a value for each kind; with `whenPositive`, only for those where it is. */
  const perKind = (
    family: Family<ResourceLabel>,
    value: (state: KindState) => number,
    { whenPositive = false }: { readonly whenPositive?: boolean } = {}
  ) =>
    set.read(family, () => {
      const samples: Array<ReadSample<ResourceLabel>> = []
      for (const state of stored()) {
        const read = value(state)
        if (!whenPositive || read > 0) samples.push([labelsOf(state), read])
      }
      return samples
    })
  const count = (family: Family<ResourceLabel>, name: Exclude<keyof KindCounts, "readWait">) =>
    perKind(family, ({ channel }) => channel.counts[name], { whenPositive: true })

  set.read(storeFamilies.objects, () =>
    stored().map(({ cache, definition }) => [{ resource: nameOf(definition.resource) }, cache.size])
  )
  perKind(storeFamilies.resourceObjects, ({ cache }) => cache.size)
  perKind(storeFamilies.sizes, ({ cache }) => cache.bytes())
  count(storeFamilies.events, "received")
  count(storeFamilies.lists, "storeLists")
  count(storeFamilies.listFetched, "storeFetched")
  count(storeFamilies.listEvaluated, "storeFetched")
  count(storeFamilies.listReturned, "storeReturned")
  count(watchCacheFamilies.received, "received")
  count(watchCacheFamilies.dispatched, "dispatched")
  count(watchCacheFamilies.initEvents, "initEvents")
  count(watchCacheFamilies.listReturned, "cacheReturned")
  perKind(watchCacheFamilies.initializations, () => 1)
  perKind(watchCacheFamilies.capacity, ({ definition }) => definition.watchHistoryEvents)
  perKind(watchCacheFamilies.resourceVersion, () => registry.revision % SHOWN_DIGITS)
  set.read(watchCacheFamilies.readWait, () =>
    stored().flatMap((state) => {
      const { readWait } = state.channel.counts
      return readWait === undefined ? [] : [[labelsOf(state), measuredBy(readWait)]]
    })
  )
  addListMetrics(set, stored, labelsOf)
}

/** Adds the metrics of lists. An index of a field counts as none: it finds what a scan would. */
const addListMetrics = (
  set: MetricSet,
  stored: () => ReadonlyArray<KindState>,
  labelsOf: (state: KindState) => { readonly group: string; readonly resource: string }
): void => {
  const listed = () => stored().filter(({ channel }) => channel.counts.cacheLists > 0)
  const withoutIndex = (name: "cacheLists" | "cacheFetched") => () =>
    listed().map((state) => [{ ...labelsOf(state), index: "" }, state.channel.counts[name]] as const)
  set.read(watchCacheFamilies.lists, withoutIndex("cacheLists"))
  set.read(watchCacheFamilies.listFetched, withoutIndex("cacheFetched"))
  set.read(watchCacheFamilies.consistentReads, () =>
    stored()
      .filter(({ channel }) => channel.counts.consistentReads > 0)
      .map((state) => [
        { ...labelsOf(state), success: "true", fallback: "false" },
        state.channel.counts.consistentReads
      ])
  )
}
