import type { DeviceTaint, ResourceSlice } from "@rollcall/api"

/** The devices of one pool that have NoExecute taints, and these taints. */
export type TaintedDevices = ReadonlyMap<string, ReadonlyArray<DeviceTaint>>

interface Pool {
  readonly slices: Map<string, ResourceSlice>
  tainted: TaintedDevices
}

const none: TaintedDevices = new Map()

const generationOf = ({ spec }: ResourceSlice): number => spec.pool.generation ?? 0
const poolKey = (driver: string, pool: string): string => `${driver}\n${pool}`

/** Returns the tainted devices of a pool: those of its newest generation. */
export const taintedDevices = (slices: Iterable<ResourceSlice>): TaintedDevices => {
  let newest = Number.NEGATIVE_INFINITY
  const tainted = new Map<string, Array<DeviceTaint>>()
  for (const slice of slices) {
    const generation = generationOf(slice)
    if (generation < newest) continue
    if (generation > newest) tainted.clear()
    newest = generation
    for (const { name, taints = [] } of slice.spec.devices ?? []) {
      const evicting = taints.filter(({ effect }) => effect === "NoExecute")
      if (evicting.length > 0) tainted.set(name, [...(tainted.get(name) ?? []), ...evicting])
    }
  }
  return tainted
}

/** The devices whose taints differ. */
const changedDevices = (before: TaintedDevices, after: TaintedDevices): ReadonlySet<string> => {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return new Set(names.filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name))))
}

/** A change of taints: the devices of one pool that it concerns. */
export interface PoolChange {
  readonly driver: string
  readonly pool: string
  readonly devices: ReadonlySet<string>
}

/** The tainted devices of all pools. Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, pool. */
export class DevicePools {
  private readonly pools = new Map<string, Pool>()

  /** The NoExecute taints of a device. */
  taintsOf(driver: string, pool: string, device: string): ReadonlyArray<DeviceTaint> {
    return this.pools.get(poolKey(driver, pool))?.tainted.get(device) ?? []
  }

  /** Adds a slice, or replaces the one of its name in the pool. */
  set(slice: ResourceSlice): PoolChange {
    return this.change(slice, (slices) => slices.set(slice.metadata.name ?? "", slice))
  }

  /** Removes a slice. */
  remove(slice: ResourceSlice): PoolChange {
    return this.change(slice, (slices) => slices.delete(slice.metadata.name ?? ""))
  }

  private change({ spec }: ResourceSlice, change: (slices: Map<string, ResourceSlice>) => void): PoolChange {
    const { driver } = spec
    const pool = spec.pool.name
    const key = poolKey(driver, pool)
    const known = this.pools.get(key) ?? { slices: new Map<string, ResourceSlice>(), tainted: none }
    const before = known.tainted
    change(known.slices)
    known.tainted = taintedDevices(known.slices.values())
    if (known.slices.size === 0) this.pools.delete(key)
    else this.pools.set(key, known)
    return { driver, pool, devices: changedDevices(before, known.tainted) }
  }
}
