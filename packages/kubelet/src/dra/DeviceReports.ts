import type { ComponentLog } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import type { DeviceDriversShape, DeviceHealth } from "./DeviceDriver.ts"
import { HealthInfo } from "./HealthInfo.ts"
import { healthStateOf, healthStateText } from "./healthState.ts"

/** After so long upstream has synced every pod again. Upstream: syncFrequency of the kubelet. */
const RESYNC_MS = 60_000

export interface DeviceReportsParts {
  readonly node: string
  readonly drivers: Pick<DeviceDriversShape, "healthCheckpoint" | "watchHealth">
  readonly log: ComponentLog
  readonly timers: TimersShape
  /** Whether a container of the node may have one of these devices. */
  readonly isPrepared: (driver: string, device: Pick<DeviceHealth, "deviceName" | "poolName">) => boolean
  /** Called when the status of pods may show devices otherwise than before. */
  readonly changed: () => void
}

/** Follows what the drivers of a node report of their devices. Upstream: HandleWatchResourcesStream of pkg/kubelet/cm/dra/manager.go. */
export class DeviceReports {
  private readonly parts: DeviceReportsParts
  private readonly info: HealthInfo
  private timer: Timer | undefined = undefined

  constructor(parts: DeviceReportsParts) {
    this.parts = parts
    this.info = this.loaded()
    this.resyncAt(this.info.nextExpiryMs(parts.timers.now()))
    parts.drivers.watchHealth?.(parts.node, (driver, devices) => this.reported(driver, devices))
  }

  healthOf(driver: string, device: Pick<DeviceHealth, "deviceName" | "poolName">) {
    return this.info.of(driver, device, this.parts.timers.now())
  }

  private loaded(): HealthInfo {
    const { drivers, log } = this.parts
    try {
      const text = drivers.healthCheckpoint?.read()
      return new HealthInfo(text === undefined ? undefined : healthStateOf(text))
    } catch (error) {
      log("error", "Failed to load health checkpoint, proceeding with empty cache", { err: String(error) })
      return new HealthInfo()
    }
  }

  private save(): void {
    const { drivers, log } = this.parts
    try {
      drivers.healthCheckpoint?.write(healthStateText(this.info.state))
    } catch (error) {
      const lost =
        "Failed to save health checkpoint after update. Kubelet restart may lose the device health information."
      log("error", lost, { err: String(error) })
    }
  }

  private reported(driver: string, devices: ReadonlyArray<DeviceHealth> | undefined): void {
    const { changed, isPrepared, timers } = this.parts
    if (devices === undefined) {
      this.info.clear(driver)
      this.save()
      this.resyncAt(timers.now() + RESYNC_MS)
      return
    }
    const different = this.info.update(driver, devices, timers.now())
    if (different.length > 0) this.save()
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
