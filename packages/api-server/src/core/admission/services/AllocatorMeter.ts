import type { Service } from "@rollcall/api"
import type { ServerMetrics } from "../../metrics/ServerMetrics.ts"
import { allocatedTo } from "../../objects/serviceValues.ts"
import { allocatorFamilies } from "./allocatorFamilies.ts"
import { type AddressRange, FIRST_NODE_PORT, inRange, LAST_NODE_PORT } from "./ranges.ts"

/** The lowest and the highest address of a range are never allocated. */
const UNUSABLE = 2
const PORTS = LAST_NODE_PORT - FIRST_NODE_PORT + 1

type Scope = "dynamic" | "static"

/** Counts the addresses and node ports of Services. */
export class AllocatorMeter {
  private readonly metrics: ServerMetrics
  private readonly ranges: () => ReadonlyArray<AddressRange>

  constructor(
    metrics: ServerMetrics,
    ranges: () => ReadonlyArray<AddressRange>,
    services: () => ReadonlyArray<Service>
  ) {
    this.metrics = metrics
    this.ranges = ranges
    const { set } = metrics
    const counts = () => {
      const values = services().flatMap(allocatedTo)
      return ranges().map((range) => ({ range, count: values.filter((value) => isAddressOf(range, value)).length }))
    }
    const ports = () =>
      services()
        .flatMap(allocatedTo)
        .filter((value) => typeof value === "number").length
    set.read(allocatorFamilies.addresses, () => counts().map(({ count, range: { text } }) => [{ cidr: text }, count]))
    set.read(allocatorFamilies.freeAddresses, () =>
      counts().map(({ count, range: { size, text } }) => [{ cidr: text }, size - UNUSABLE - count])
    )
    set.read(allocatorFamilies.ports, () => [[{}, ports()]])
    set.read(allocatorFamilies.freePorts, () => [[{}, PORTS - ports()]])
  }

  get now(): number {
    return this.metrics.now()
  }

  /** Counts what a write of a Service allocated. `beganMs` is when the allocation began. */
  allocated(requested: Service, service: Service, old: Service | undefined, beganMs: number): void {
    const { set } = this.metrics
    const before = new Set(old === undefined ? [] : allocatedTo(old))
    const asked = new Set(allocatedTo(requested))
    const scopeOf = (value: string | number): Scope => (asked.has(value) ? "static" : "dynamic")
    for (const value of allocatedTo(service)) {
      if (before.has(value)) continue
      const scope = scopeOf(value)
      const cidr = this.ranges().find((range) => isAddressOf(range, value))?.text
      if (typeof value === "number") set.values(allocatorFamilies.portAllocations).with({ scope }).add()
      else if (cidr !== undefined) {
        set.values(allocatorFamilies.addressAllocations).with({ cidr, scope }).add()
        const seconds = (this.now - beganMs) / 1000
        set.distributions(allocatorFamilies.durations).with({ cidr }).observe(seconds)
      }
    }
  }

  /** Counts a Service that could not have what it needs. */
  refused(requested: Service): void {
    const { set } = this.metrics
    const asked = allocatedTo(requested)
    const isPort = asked.some((value) => typeof value === "number")
    const scope: Scope = asked.length > 0 ? "static" : "dynamic"
    if (isPort) set.values(allocatorFamilies.portErrors).with({ scope }).add()
    else {
      for (const { text } of this.ranges())
        set.values(allocatorFamilies.addressErrors).with({ cidr: text, scope }).add()
    }
  }
}

const isAddressOf = (range: AddressRange, value: string | number): boolean =>
  typeof value === "string" && inRange(range, value)
