import * as Context from "effect/Context"
import type { ErrorSource } from "../apiserver/processErrors.ts"

/** The part of the process that components use. */
export interface HostShape {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly hostname: string
  /** Returns the machine's addresses that other machines may reach; absent: it has none. */
  readonly addresses?: () => ReadonlyArray<string>
  readonly homeFolder: string
  readonly temporaryFolder: string
  readonly processId: number
  /** Returns the machine's clock in milliseconds since the epoch: it may be set while a process runs. */
  readonly wallClockMs: () => number
  /** Prints one line of output. */
  readonly print: (line: string) => void
  /** Prints one line of the log or of a warning. */
  readonly log: (line: string) => void
  /** Prints a text unchanged, for commands like kubectl. */
  readonly output: (text: string) => void
  readonly error: (text: string) => void
  /** Imports a module that the user named; absent: not supported. */
  readonly load?: (file: string) => Promise<unknown>
  /**
   * The process whose uncaught errors a component logs and survives; absent: they are left to the program that embeds
   * it.
   */
  readonly errorSource?: ErrorSource
  /** Reads all of stdin. */
  readonly stdin: () => Promise<string>
}

export class Host extends Context.Service<Host, HostShape>()("@rollcall/components/Host") {}
