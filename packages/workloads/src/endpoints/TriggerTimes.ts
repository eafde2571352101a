import { formatTime, getPodCondition, type ObjectMeta, type Pod, parseTime, type Service } from "@rollcall/api"

/** Upstream: core/v1 EndpointsLastChangeTriggerTime. */
const annotation = "endpoints.kubernetes.io/last-change-trigger-time"

/** When a service was created, and when each of its pods last became ready or unready; unparsed for fast comparison. */
interface LastTimes {
  readonly service: string
  readonly pods: ReadonlyMap<string, string>
}

/**
 * When the inputs of a service's endpoints last changed: for measuring the propagation delay.
 * Upstream: staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go.
 */
export class TriggerTimes {
  private readonly lastTimes = new Map<string, LastTimes>()

  /**
   * Returns the earliest change since the last call for this key, in milliseconds since the Unix epoch; undefined if
   * there was none. At the first call it is the creation of the service.
   */
  next(key: string, service: Service, pods: Iterable<Pod>): number | undefined {
    const before = this.lastTimes.get(key)
    const created = service.metadata.creationTimestamp ?? ""
    const times = new Map<string, string>()
    let earliest = Number.POSITIVE_INFINITY
    const consider = (time: string, previous: string | undefined) => {
      if (time === previous) return
      const at = parseTime(time)
      if (previous === undefined || at > parseTime(previous)) earliest = Math.min(earliest, at)
    }
    for (const { metadata, status } of pods) {
      const readySince = getPodCondition(status, "Ready")?.lastTransitionTime
      if (readySince === undefined) continue
      const name = metadata.name ?? ""
      times.set(name, readySince)
      if (before !== undefined) consider(readySince, before.pods.get(name))
    }
    this.lastTimes.set(key, { service: created, pods: times })
    if (created !== "") consider(created, before?.service)
    return Number.isFinite(earliest) ? earliest : undefined
  }

  forget(key: string): void {
    this.lastTimes.delete(key)
  }
}

/**
 * Returns the metadata with the annotation of the change that triggered the write, at a time in milliseconds since the
 * Unix epoch; without the annotation if there was no change.
 */
export const withTriggerTime = (metadata: ObjectMeta, at: number | undefined): ObjectMeta => {
  const { [annotation]: before, ...others } = metadata.annotations ?? {}
  if (at !== undefined) return { ...metadata, annotations: { ...others, [annotation]: formatTime(at) } }
  return before === undefined ? metadata : { ...metadata, annotations: others }
}
