import type { ProgramEnd } from "./ProgramEnd.ts"
import type { Environment, ShellWorld } from "./ShellWorld.ts"

/** What a program runs in. */
export interface ProgramContext {
  readonly environment: Environment
  /** The container; undefined if only the arguments of the program are known. */
  readonly world: ShellWorld | undefined
  /** Returns the container for a program whose end depends on it. */
  readonly needWorld: () => ShellWorld | undefined
  /** The time since the run of the container began. */
  readonly elapsedMs: number
}

/** Returns how a program ends; undefined if that is not modelled. */
export type Program = (args: ReadonlyArray<string>, context: ProgramContext) => ProgramEnd | undefined

export const ends = (status: number, output = "", errors = ""): ProgramEnd => ({
  status,
  afterMs: 0,
  output,
  ...(errors === "" ? {} : { errors })
})

export const endsWithUnknownOutput: ProgramEnd = { status: 0, afterMs: 0, output: undefined }
