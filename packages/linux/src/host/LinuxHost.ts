import { lookup } from "node:dns"
import type { NodeHost } from "@rollcall/kubelet"
import { repeatPasses, Timers } from "@rollcall/time"
import type { MachineTopology } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Scope from "effect/Scope"
import { type CgroupVersion, cgroupVersionOf } from "./cgroup.ts"
import { type MachineOptions, readMachine } from "./machine.ts"
import { readNetwork } from "./network.ts"
import { readTopology } from "./numa.ts"
import { linuxResources } from "./resources.ts"
import { makeSystem, type System } from "./System.ts"
import { readSwap, type Swap } from "./swap.ts"

export interface LinuxHostOptions extends Omit<MachineOptions, "rootDir"> {
  /** The folder of the kubelet's state; the default is /var/lib/kubelet. */
  readonly rootDir?: string
  /** The source of the readings; the default is this machine. */
  readonly system?: System
  /** Resolves a host name; the default is the machine's resolver. */
  readonly resolve?: (name: string) => Effect.Effect<ReadonlyArray<string>>
}

/** The machine that this process runs on, as a kubelet needs it. */
export interface LinuxHost {
  /**
   * The host for `makeKubelet`. Its `machine` returns the value of the last `refresh`; resources are read on each call.
   */
  readonly host: NodeHost
  readonly cgroupVersion: CgroupVersion
  /** Reads the processors and the memory on each call. */
  readonly topology: () => MachineTopology
  readonly swap: () => Swap
  /**
   * Reads the machine again; returns whether something changed. If not, `machine` returns the same object as before.
   */
  readonly refresh: Effect.Effect<boolean>
  /**
   * Refreshes until the scope ends, with a pause of `everyMs`: as often as the kubelet updates its status. Calls
   * `changed` when something changed.
   */
  readonly keepRefreshing: (everyMs: number, changed?: () => void) => Effect.Effect<void, never, Scope.Scope>
}

/** A failed lookup gives no address: the node then uses the address of its default route. */
const resolveByMachine = (name: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    lookup(name, { all: true, order: "verbatim" }, (error, found) =>
      resume(Effect.succeed(error === null ? found.map(({ address }) => address) : []))
    )
  })

/**
 * Reads the machine once. Its host name is resolved, everything else is read from its files; what cannot be read
 * counts as absent.
 */
export const makeLinuxHost = (options: LinuxHostOptions): Effect.Effect<LinuxHost, never, Timers> =>
  Effect.gen(function* () {
    const { handleError, now } = yield* Timers
    const { resolve = resolveByMachine, rootDir = "/var/lib/kubelet", system = makeSystem() } = options
    const setting = { ...options, rootDir }
    const read = Effect.map(resolve(options.hostname), (found) =>
      readMachine(system, readNetwork(system, found), setting)
    )
    let machine = yield* read
    const refresh = Effect.map(read, (next) => {
      if (Equal.equals(machine, next)) return false
      machine = next
      return true
    })
    return {
      host: {
        machine: () => machine,
        // The machine's boot id already tells boots apart.
        booted: () => undefined,
        resources: linuxResources(system, rootDir, now)
      },
      cgroupVersion: cgroupVersionOf(system),
      topology: () => readTopology(system),
      swap: () => readSwap(system),
      refresh,
      keepRefreshing: (everyMs, changed) =>
        repeatPasses(
          { handleError },
          "machine",
          Effect.map(refresh, (hasChanged) => hasChanged && changed?.()),
          everyMs
        ).pipe(Effect.delay(everyMs), Effect.forkScoped, Effect.asVoid)
    }
  })
