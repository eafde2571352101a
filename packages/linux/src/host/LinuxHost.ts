import { lookup } from "node:dns"
import type { NodeHost } from "@rollcall/kubelet"
import { repeatPasses, Timers } from "@rollcall/time"
import type { MachineTopology } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Scope from "effect/Scope"
import { type CgroupVersion, cgroupVersionOf } from "./cgroup.ts"
import { type MachineSetting, readMachine } from "./machine.ts"
import { readNetwork } from "./network.ts"
import { readTopology } from "./numa.ts"
import { linuxResources } from "./resources.ts"
import { makeSystem, type System } from "./System.ts"
import { readSwap, type Swap } from "./swap.ts"

export interface LinuxHostOptions extends Omit<MachineSetting, "rootDir"> {
  /** Absent: /var/lib/kubelet. */
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
  /** Its processors and memory, read anew each time. */
  readonly topology: () => MachineTopology
  readonly swap: () => Swap
  /** Reads the machine anew; true when it is another than before. The same value stays for as long as nothing changed. */
  readonly refresh: Effect.Effect<boolean>
  /**
   * Refreshes until the scope ends, `everyMs` after each time: as often as the kubelet looks at its status. `changed` is called when
   * the machine is another.
   */
  readonly refreshing: (everyMs: number, changed?: () => void) => Effect.Effect<void, never, Scope.Scope>
}

/** No answer is an answer: then the node goes by its default route. */
const resolveByMachine = (name: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    lookup(name, { all: true, order: "verbatim" }, (error, found) =>
      resume(Effect.succeed(error === null ? found.map(({ address }) => address) : []))
    )
  })

/** Looks at the machine once. Its name is resolved, all else is read from its files; what cannot be read counts as nothing. */
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
        // The machine says by itself which boot it is in.
        booted: () => undefined,
        resources: linuxResources(system, rootDir, now)
      },
      cgroupVersion: cgroupVersionOf(system),
      topology: () => readTopology(system),
      swap: () => readSwap(system),
      refresh,
      refreshing: (everyMs, changed) =>
        repeatPasses(
          { handleError },
          "machine",
          Effect.map(refresh, (another) => another && changed?.()),
          everyMs
        ).pipe(Effect.delay(everyMs), Effect.forkScoped, Effect.asVoid)
    }
  })
