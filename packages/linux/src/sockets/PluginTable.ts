import type { Pod } from "@rollcall/api"
import type { AllocatedResource, DeviceResources } from "@rollcall/kubelet"
import type { Timer, TimersShape } from "@rollcall/time"
import type { Device, DeviceManager, DevicePreference } from "@rollcall/topology"

/** How long the devices of a plugin that has gone still count, as unhealthy. Upstream: endpointStopGracePeriod. */
const STOP_GRACE_MS = 5 * 60_000

interface Entry<P> {
  readonly plugin: P
  /** Set while the plugin is gone. */
  removal: Timer | undefined
}

/** Devices of one container, of one resource. */
export interface AssignedDevices {
  readonly container: string
  readonly resource: string
}

const textOf = (counts: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(counts).map(([resource, count]) => [resource, String(count)]))

/** The plugins of a kubelet by resource, and their devices in its device manager. */
export class PluginTable<P> {
  private readonly timers: TimersShape
  private readonly entries = new Map<string, Entry<P>>()
  private readonly removed = new Set<string>()
  private manager: DeviceManager | undefined
  private changed: () => void = () => undefined
  private shown: DeviceResources = { capacity: {}, allocatable: {}, removed: [] }

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  attach(manager: DeviceManager, changed: () => void): void {
    this.manager = manager
    this.changed = changed
  }

  /** What the Node shows; the same value while nothing changes. */
  resources(): DeviceResources {
    return this.shown
  }

  /** The plugin of a resource, unless it is gone. */
  plugin(resource: string): P | undefined {
    const entry = this.entries.get(resource)
    return entry?.removal === undefined ? entry?.plugin : undefined
  }

  add(resource: string, plugin: P): void {
    const before = this.entries.get(resource)
    if (before?.removal !== undefined) this.timers.cancel(before.removal)
    this.entries.set(resource, { plugin, removal: undefined })
    this.removed.delete(resource)
    this.refresh()
  }

  setDevices(resource: string, devices: ReadonlyArray<Device>): void {
    const before = this.manager?.inventory()[resource]
    this.manager?.setDevices(resource, devices)
    const isOther = ({ healthy, id }: Device) => before?.find((device) => device.id === id)?.healthy !== healthy
    if (!this.refresh() && devices.some(isOther)) this.changed()
  }

  /** A plugin has gone: its devices are unhealthy from now on, and no longer there after a while. */
  ended(resource: string, plugin: P): void {
    const entry = this.entries.get(resource)
    if (entry?.plugin !== plugin) return
    const devices = this.manager?.inventory()[resource] ?? []
    this.setDevices(
      resource,
      devices.map((device) => ({ ...device, healthy: false }))
    )
    entry.removal = this.timers.after(STOP_GRACE_MS, () => {
      this.entries.delete(resource)
      this.removed.add(resource)
      this.manager?.removeResource(resource)
      this.refresh()
    })
  }

  /** The devices of a pod's containers. */
  assigned({ metadata: { uid = "" }, spec }: Pod): ReadonlyArray<AssignedDevices> {
    return [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ name }) =>
      Object.keys(this.manager?.devicesOf(uid, name) ?? {}).map((resource) => ({ container: name, resource }))
    )
  }

  /** The devices of a container, of one resource. */
  idsOf({ metadata: { uid = "" } }: Pod, { container, resource }: AssignedDevices): ReadonlyArray<string> {
    return this.manager?.devicesOf(uid, container)[resource] ?? []
  }

  /** How the devices of a container are; those of a plugin that is forgotten count as healthy, as upstream. */
  healthOf({ metadata: { uid = "" } }: Pod, container: string): ReadonlyArray<AllocatedResource> {
    const { manager } = this
    if (manager === undefined) return []
    const inventory = manager.inventory()
    return Object.entries(manager.devicesOf(uid, container)).map(([name, ids]) => ({
      name,
      resources: ids.map((resourceID) => {
        const isHealthy = inventory[name]?.find(({ id }) => id === resourceID)?.healthy ?? true
        return { resourceID, health: isHealthy ? "Healthy" : "Unhealthy" }
      })
    }))
  }

  /** What the plugin may still choose of them. */
  preferenceOf(
    { metadata: { uid = "" } }: Pod,
    { container, resource }: AssignedDevices
  ): DevicePreference | undefined {
    return this.manager?.preferenceOf(uid, container, resource)
  }

  /** Gives the container what the plugin prefers. */
  prefer({ metadata: { uid = "" } }: Pod, assigned: AssignedDevices, ids: ReadonlyArray<string>): void {
    this.manager?.prefer(uid, assigned.container, assigned.resource, ids)
  }

  /** Tells that what the Node shows has changed; returns whether it has. */
  private refresh(): boolean {
    if (this.manager === undefined) return false
    const { manager } = this
    const shown: DeviceResources = {
      capacity: textOf(manager.capacity()),
      allocatable: textOf(manager.allocatable()),
      removed: [...this.removed]
    }
    if (JSON.stringify(shown) === JSON.stringify(this.shown)) return false
    this.shown = shown
    this.changed()
    return true
  }
}
