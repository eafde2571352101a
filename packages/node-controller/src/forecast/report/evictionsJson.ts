import { formatTaint, formatTime } from "@rollcall/api"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, PodForecast, ZoneForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"

/** Renders the forecast as JSON. An absent moment never comes. */
export const renderEvictionsJson = ({ forecast, gaps }: EvictionReport): string => {
  const { allZonesDown, nodes, nowMs, zones } = forecast
  const moment = (ms: number | undefined) =>
    ms === undefined ? undefined : { at: formatTime(ms), inSeconds: Math.round((ms - nowMs) / 100) / 10 }

  const zoneOf = ({ changes, waiting, zoneKey: _, ...zone }: ZoneForecast) => ({
    ...zone,
    waiting,
    changes: changes.map(({ atMs, ...pace }) => ({ ...moment(atMs), ...pace }))
  })
  const podOf = ({ deletedAtMs, pod, terminatingSinceMs, ...rest }: PodForecast) => ({
    namespace: pod.metadata.namespace,
    name: pod.metadata.name,
    ...rest,
    deleted: moment(deletedAtMs),
    terminatingSince: moment(terminatingSinceMs)
  })
  const nodeOf = (one: NodeForecast) => ({
    name: one.node.metadata.name,
    ...zoneNames(one.zoneKey),
    ready: one.ready ?? "missing",
    since: moment(one.readySinceMs),
    lastSign: moment(one.lastSignMs),
    silent: one.silent,
    becomesUnknown: moment(one.unknownAtMs),
    taint: one.taint === undefined ? undefined : { key: one.taint.key, timeAdded: one.taint.timeAdded },
    otherTaints: one.otherTaints.map(formatTaint),
    turn: moment(one.queueReachedAtMs),
    place: one.place,
    stoppedBy: one.stoppedBy,
    taintExchanged: moment(one.swappedAtMs),
    taintRemoved: moment(one.taintRemovedAtMs),
    outOfService: one.outOfService,
    pods: one.pods.map(podOf)
  })
  const result = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "EvictionForecast",
    asOf: formatTime(nowMs),
    allZonesDown,
    zones: zones.map(zoneOf),
    nodes: nodes.map(nodeOf),
    ...(gaps.length === 0 ? {} : { gaps })
  }
  return `${JSON.stringify(result, undefined, 2)}\n`
}
