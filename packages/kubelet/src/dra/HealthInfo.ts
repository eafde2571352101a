import type { DeviceHealth } from "./DeviceDriver.ts"
import type { HealthState, KnownHealth } from "./healthState.ts"

/** How long a report counts if the driver does not say. Upstream: DefaultHealthTimeout of pkg/kubelet/cm/dra/healthinfo.go. */
const DEFAULT_TIMEOUT_MS = 30_000

/** A device by its pool and its name in it. */
type DeviceKey = Pick<DeviceHealth, "deviceName" | "poolName">

const keyOf = ({ deviceName, poolName }: DeviceKey): string => `${poolName}/${deviceName}`

const timeoutOf = ({ timeoutMs = 0 }: DeviceHealth): number => (timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS)

const expiresMs = ({ atMs, report }: KnownHealth): number => atMs + timeoutOf(report)

const isSame = (left: DeviceHealth, right: DeviceHealth): boolean =>
  left.health === right.health && left.message === right.message && timeoutOf(left) === timeoutOf(right)

/**
 * What the drivers of a node have reported about their devices. A report counts for a time; then it is not known how the
 * device is. Upstream: pkg/kubelet/cm/dra/healthinfo.go.
 */
export class HealthInfo {
  private readonly drivers: Map<string, Map<string, KnownHealth>>

  /** Begins with what a process before has known. */
  constructor(drivers = new Map<string, Map<string, KnownHealth>>()) {
    this.drivers = drivers
  }

  get state(): HealthState {
    return this.drivers
  }

  /**
   * Takes a driver's list of all its devices, and returns those that are otherwise than before. A device that the list
   * does not have keeps its last report until that expires.
   */
  update(driver: string, devices: ReadonlyArray<DeviceHealth>, nowMs: number): ReadonlyArray<DeviceKey> {
    const known = this.drivers.get(driver) ?? new Map<string, KnownHealth>()
    this.drivers.set(driver, known)
    const reported = new Set(devices.map(keyOf))
    const expired = [...known].filter(([key, one]) => !reported.has(key) && nowMs > expiresMs(one))
    for (const [key] of expired) known.delete(key)
    const changed = devices.filter((report) => {
      const before = known.get(keyOf(report))
      known.set(keyOf(report), { report, atMs: nowMs })
      return before === undefined || !isSame(before.report, report)
    })
    return [...changed, ...expired.map(([, { report }]) => report)]
  }

  /** Returns what is known of a device: nothing unless its last report still counts. */
  of(driver: string, device: DeviceKey, nowMs: number): Pick<DeviceHealth, "health" | "message"> {
    const known = this.drivers.get(driver)?.get(keyOf(device))
    return known === undefined || nowMs > expiresMs(known) ? { health: "Unknown" } : known.report
  }

  /** Returns when the next report expires, if none of them is renewed; undefined if there is none. */
  nextExpiryMs(nowMs: number): number | undefined {
    const times = [...this.drivers.values()].flatMap((known) => [...known.values()].map(expiresMs))
    const next = times.filter((atMs) => atMs >= nowMs).reduce((least, atMs) => Math.min(least, atMs), Infinity)
    return next === Infinity ? undefined : next
  }

  /** Forgets what a driver has reported, because it does not report any more. */
  clear(driver: string): void {
    this.drivers.delete(driver)
  }
}
