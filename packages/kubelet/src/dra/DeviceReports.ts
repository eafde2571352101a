import type { Timer, TimersShape } from "@rollcall/time"
import type { DeviceDriversShape, DeviceHealth } from "./DeviceDriver.ts"
import { HealthInfo } from "./HealthInfo.ts"

/** After so long upstream has synced every pod again. Upstream: syncFrequency of the kubelet. */
const RESYNC_MS = 60_000

export interface DeviceReportsParts {
  readonly node: string
  readonly drivers: Pick<DeviceDriversShape, "watchHealth">
  readonly timers: TimersShape
  /** Whether a container of the node may have one of these devices. */
  readonly isPrepared: (driver: string, device: Pick<DeviceHealth, "deviceName" | "poolName">) => boolean
  /** Called when the status of pods may show devices otherwise than before. */
  readonly changed: () => void
}

/** Follows what the drivers of a node report of their devices. Upstream: HandleWatchResourcesStream of pkg/kubelet/cm/dra/manager.go. */
export class DeviceReports {
  private readonly parts: DeviceReportsParts
  private readonly info = new HealthInfo()
  private timer: Timer | undefined = undefined

  constructor(parts: DeviceReportsParts) {
    this.parts = parts
    parts.drivers.watchHealth?.(parts.node, (driver, devices) => this.reported(driver, devices))
  }

  healthOf(driver: string, device: Pick<DeviceHealth, "deviceName" | "poolName">) {
    return this.info.of(driver, device, this.parts.timers.now())
  }

  private reported(driver: string, devices: ReadonlyArray<DeviceHealth> | undefined): void {
    const { changed, isPrepared, timers } = this.parts
    if (devices === undefined) {
      this.info.clear(driver)
      this.resyncAt(timers.now() + RESYNC_MS)
      return
    }
    const different = this.info.update(driver, devices, timers.now())
    if (different.some((device) => isPrepared(driver, device))) changed()
    this.resyncAt(this.info.nextExpiryMs(timers.now()))
  }

  /** Shows at a time what is not known any more then. */
  private resyncAt(atMs: number | undefined): void {
    const { changed, timers } = this.parts
    if (this.timer !== undefined) timers.cancel(this.timer)
    this.timer =
      atMs === undefined
        ? undefined
        : timers.at(atMs + 1, () => {
            this.timer = undefined
            changed()
            this.resyncAt(this.info.nextExpiryMs(timers.now()))
          })
  }
}
