import type { UsedValues } from "./AllocatedValues.ts"
import { FIRST_NODE_PORT, isNodePort, LAST_NODE_PORT, nextNodePort } from "./ranges.ts"

/** The first port that a dry run shows. Upstream: portallocator/operation.go, AllocateNext. */
const FIRST_PRETENDED = 32_769

/** The node ports that one write allocates. Upstream: pkg/registry/core/service/portallocator. */
export class NodePorts {
  /** The values of other services. */
  private readonly used: Pick<UsedValues, "has">
  private readonly own = new Set<number>()
  /** Those that a dry run allocates, which upstream does not look for; undefined for a write. */
  private readonly pretended: Array<number> | undefined

  constructor(used: Pick<UsedValues, "has">, dryRun = false) {
    this.used = used
    this.pretended = dryRun ? [] : undefined
  }

  /** Allocates a port; returns why it cannot be allocated, or undefined. */
  take(port: number): string | undefined {
    if (this.pretended === undefined && !isNodePort(port)) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
    }
    if (this.used.has(port) || this.own.has(port)) return "provided port is already allocated"
    this.own.add(port)
    this.pretended?.push(port)
    return undefined
  }

  /** Notes a port that the service has already. */
  keep(port: number): void {
    this.own.add(port)
  }

  /** Allocates a free port; returns undefined if there is none. */
  next(): number | undefined {
    if (this.pretended !== undefined) {
      const port = Math.max(
        this.pretended.length === 0 ? FIRST_PRETENDED : 0,
        ...this.pretended.map((each) => each + 1)
      )
      this.pretended.push(port)
      return port
    }
    const port = nextNodePort((candidate) => this.used.has(candidate) || this.own.has(candidate))
    if (port !== undefined) this.own.add(port)
    return port
  }
}
