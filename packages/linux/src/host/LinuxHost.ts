import { lookup } from "node:dns"
import type { NodeAddress } from "@rollcall/api"
import type { NodeHost } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import type { MachineTopology } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { nodeAddresses } from "./addresses.ts"
import { type CgroupVersion, cgroupVersionOf } from "./cgroup.ts"
import { type OwnVersions, readMachine } from "./machine.ts"
import { defaultAddress, readDefaultRoutes } from "./network.ts"
import { readTopology } from "./numa.ts"
import { linuxResources } from "./resources.ts"
import { makeSystem, type System } from "./System.ts"
import { readSwap, type Swap } from "./swap.ts"

/** The machine cannot say where it is reached. `message` is upstream's. */
export class HostAddressError extends Schema.TaggedError<HostAddressError>()("HostAddressError", {
  message: Schema.String
}) {}

export interface LinuxHostOptions {
  /** The node's name, and its Hostname address. */
  readonly nodeName: string
  readonly versions: OwnVersions
  /** `--node-ip` as it parses; absent: none. */
  readonly nodeIPs?: ReadonlyArray<string>
  /** `--root-dir`: the filesystem of the node's own files. Absent: /var/lib/kubelet. It need not be there. */
  readonly rootDir?: string
  /** What is read of the machine; absent: this one. */
  readonly system?: System
  /** What the resolver says of a name; absent: the machine's resolver. */
  readonly resolve?: (name: string) => Effect.Effect<ReadonlyArray<string>>
}

/** The machine that this process runs on. */
export interface LinuxHost {
  /** For `makeKubelet`. `machine` answers the value of the last `refresh`; resources are read whenever they are asked for. */
  readonly host: NodeHost
  readonly cgroupVersion: CgroupVersion
  readonly topology: () => MachineTopology
  readonly swap: () => Swap
  /**
   * Reads the machine anew; true when it is another than before. Fails, and leaves what was known, when the machine has no address
   * to give: a status pass of the kubelet fails then.
   */
  readonly refresh: Effect.Effect<boolean, HostAddressError>
  /** Refreshes until the scope ends, `everyMs` after each time: so often as the kubelet looks at its status. */
  readonly refreshing: (
    everyMs: number,
    failed?: (error: HostAddressError) => void
  ) => Effect.Effect<void, never, Scope.Scope>
}

/** No answer is an answer: then the node goes by its default route. */
const resolveByMachine = (name: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    lookup(name, { all: true, order: "verbatim" }, (error, found) =>
      resume(Effect.succeed(error === null ? found.map(({ address }) => address) : []))
    )
  })

const addressesOf = (options: LinuxHostOptions, system: System) =>
  Effect.gen(function* () {
    const { nodeIPs = [], nodeName, resolve = resolveByMachine } = options
    const interfaces = system.interfaces()
    const found = nodeAddresses({
      nodeIPs,
      hostname: nodeName,
      interfaces,
      resolved: yield* resolve(nodeName),
      defaultAddress: (preferred) => defaultAddress(readDefaultRoutes(system), interfaces, preferred)
    })
    return "error" in found ? yield* new HostAddressError({ message: found.error }) : found.addresses
  })

/** Looks at the machine once. Addresses are resolved, all else is read from its files. */
export const makeLinuxHost = (options: LinuxHostOptions): Effect.Effect<LinuxHost, HostAddressError, Timers> =>
  Effect.gen(function* () {
    const { now } = yield* Timers
    const { rootDir = "/var/lib/kubelet", system = makeSystem(), versions } = options
    const read = (addresses: ReadonlyArray<NodeAddress>) => readMachine(system, rootDir, versions, addresses)
    let machine = read(yield* addressesOf(options, system))

    const refresh = Effect.map(addressesOf(options, system), (addresses) => {
      const next = read(addresses)
      if (Equal.equals(machine, next)) return false
      machine = next
      return true
    })
    return {
      host: {
        machine: () => machine,
        // The machine says by itself which boot it is in.
        booted: () => undefined,
        resources: linuxResources(system, rootDir, now)
      },
      cgroupVersion: cgroupVersionOf(system),
      topology: () => readTopology(system),
      swap: () => readSwap(system),
      refresh,
      refreshing: (everyMs, failed) =>
        refresh.pipe(
          Effect.catchTag("HostAddressError", (error) => Effect.sync(() => failed?.(error))),
          Effect.repeat(Schedule.spaced(everyMs)),
          Effect.delay(everyMs),
          Effect.forkScoped,
          Effect.asVoid
        )
    }
  })
