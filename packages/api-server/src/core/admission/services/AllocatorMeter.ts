import type { Service } from "@rollcall/api"
import type { ServerMetrics } from "../../metrics/ServerMetrics.ts"
import { allocatedTo } from "./AllocatedValues.ts"
import { allocatorFamilies } from "./allocatorFamilies.ts"
import { type AddressRange, FIRST_NODE_PORT, inRange, LAST_NODE_PORT } from "./ranges.ts"

/** The lowest and the highest address of a range are never allocated. */
const UNUSABLE = 2
const PORTS = LAST_NODE_PORT - FIRST_NODE_PORT + 1

type Scope = "dynamic" | "static"

/** Counts the addresses and node ports of Services. */
export class AllocatorMeter {
  private readonly metrics: ServerMetrics
  private readonly range: AddressRange

  constructor(metrics: ServerMetrics, range: AddressRange, services: () => ReadonlyArray<Service>) {
    this.metrics = metrics
    this.range = range
    const { set } = metrics
    const cidr = range.text
    const addresses = () =>
      services()
        .flatMap(allocatedTo)
        .filter((value) => this.isAddress(value)).length
    const ports = () =>
      services()
        .flatMap(allocatedTo)
        .filter((value) => typeof value === "number").length
    set.read(allocatorFamilies.addresses, () => [[{ cidr }, addresses()]])
    set.read(allocatorFamilies.freeAddresses, () => [[{ cidr }, range.size - UNUSABLE - addresses()]])
    set.read(allocatorFamilies.ports, () => [[{}, ports()]])
    set.read(allocatorFamilies.freePorts, () => [[{}, PORTS - ports()]])
  }

  get now(): number {
    return this.metrics.now()
  }

  /** Counts what a write of a Service allocated. `beganMs` is when the allocation began. */
  allocated(requested: Service, service: Service, old: Service | undefined, beganMs: number): void {
    const { range } = this
    const { set } = this.metrics
    const before = new Set(old === undefined ? [] : allocatedTo(old))
    const asked = new Set(allocatedTo(requested))
    const cidr = range.text
    const scopeOf = (value: string | number): Scope => (asked.has(value) ? "static" : "dynamic")
    for (const value of allocatedTo(service)) {
      if (before.has(value)) continue
      if (typeof value === "number")
        set
          .values(allocatorFamilies.portAllocations)
          .with({ scope: scopeOf(value) })
          .add()
      else if (this.isAddress(value)) {
        set
          .values(allocatorFamilies.addressAllocations)
          .with({ cidr, scope: scopeOf(value) })
          .add()
        set
          .distributions(allocatorFamilies.durations)
          .with({ cidr })
          .observe((this.now - beganMs) / 1000)
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
    else set.values(allocatorFamilies.addressErrors).with({ cidr: this.range.text, scope }).add()
  }

  private isAddress(value: string | number): boolean {
    return typeof value === "string" && inRange(this.range, value)
  }
}
