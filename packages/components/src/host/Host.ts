import * as Context from "effect/Context"

/** The process that a component runs in, as far as components need to know it. */
export interface HostShape {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly hostname: string
  readonly homeFolder: string
  readonly temporaryFolder: string
  readonly processId: number
  /** Milliseconds since the epoch, as this machine's clock has them now: it may be set while a process runs. */
  readonly wallClockMs: () => number
  /** One line of what the user asked for. */
  readonly print: (line: string) => void
  /** One line of the log, or of a warning. */
  readonly log: (line: string) => void
  /** Text of commands that print as kubectl does, as it stands. */
  readonly output: (text: string) => void
  readonly error: (text: string) => void
  /** Loads a file of code that a person named; absent: this process loads none. */
  readonly load?: (file: string) => Promise<unknown>
  /** All of stdin. */
  readonly stdin: () => Promise<string>
}

export class Host extends Context.Service<Host, HostShape>()("@rollcall/components/Host") {}
