import { FIRST_NODE_PORT, isNodePort, LAST_NODE_PORT, nextNodePort } from "./ranges.ts"

/** The node ports that one write allocates. Upstream: pkg/registry/core/service/portallocator. */
export class NodePorts {
  /** The values of other services. */
  private readonly used: ReadonlySet<string | number>
  private readonly own = new Set<number>()

  constructor(used: ReadonlySet<string | number>) {
    this.used = used
  }

  /** Allocates a port; returns why it cannot be allocated, or undefined. */
  take(port: number): string | undefined {
    if (!isNodePort(port)) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
    }
    if (this.used.has(port) || this.own.has(port)) return "provided port is already allocated"
    this.own.add(port)
    return undefined
  }

  /** Notes a port that the service has already. */
  keep(port: number): void {
    this.own.add(port)
  }

  /** Allocates a free port; returns undefined if there is none. */
  next(): number | undefined {
    const port = nextNodePort((candidate) => this.used.has(candidate) || this.own.has(candidate))
    if (port !== undefined) this.own.add(port)
    return port
  }
}
