import { formatMicroTime, parseTime } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import type { DeviceHealth } from "./DeviceDriver.ts"

/** A report about a device, and when it came. */
export interface KnownHealth {
  readonly report: DeviceHealth
  readonly atMs: number
}

/** What is known of devices, by driver and then by pool and device. */
export type HealthState = ReadonlyMap<string, ReadonlyMap<string, KnownHealth>>

const NANOS = 1_000_000

const states: ReadonlySet<unknown> = new Set<DeviceHealth["health"]>(["Healthy", "Unhealthy", "Unknown"])

/** Writes it as upstream's `dra_health_state`. Upstream: DevicesHealthMap of pkg/kubelet/cm/dra/state/state.go. */
export const healthStateText = (state: HealthState): string => {
  const drivers = [...state].map(([driver, known]) => {
    const devices = [...known].map(([key, { atMs, report }]) => {
      const { deviceName, health, message = "", poolName, timeoutMs = 0 } = report
      return [
        key,
        {
          PoolName: poolName,
          DeviceName: deviceName,
          Health: health,
          LastUpdated: formatMicroTime(atMs),
          HealthCheckTimeout: Math.max(0, Math.round(timeoutMs * NANOS)),
          Message: message
        }
      ] as const
    })
    return [driver, { Devices: Object.fromEntries(devices) }] as const
  })
  return JSON.stringify(Object.fromEntries(drivers))
}

const recordOf = (value: unknown): Fields => {
  if (!isFields(value)) throw new TypeError(`${JSON.stringify(value)} is no object`)
  return value
}

const knownOf = (value: unknown): KnownHealth => {
  const { DeviceName, Health, HealthCheckTimeout, LastUpdated, Message, PoolName } = recordOf(value)
  const atMs = parseTime(String(LastUpdated))
  if (Number.isNaN(atMs) || !states.has(Health))
    throw new TypeError(`${JSON.stringify(value)} is no health of a device`)
  const timeoutMs = Number(HealthCheckTimeout) / NANOS
  return {
    atMs,
    report: {
      poolName: String(PoolName),
      deviceName: String(DeviceName),
      health: Health as DeviceHealth["health"],
      ...(Message === undefined || Message === "" ? {} : { message: String(Message) }),
      ...(timeoutMs > 0 ? { timeoutMs } : {})
    }
  }
}

/** Reads that; throws if it is something else. */
export const healthStateOf = (text: string): Map<string, Map<string, KnownHealth>> =>
  new Map(
    Object.entries(recordOf(JSON.parse(text))).map(([driver, value]) => {
      const devices = Object.entries(recordOf(recordOf(value).Devices ?? {}))
      return [driver, new Map(devices.map(([key, known]) => [key, knownOf(known)]))]
    })
  )
