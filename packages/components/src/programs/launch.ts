import { commandHelp, type Flags, type FlagValues, ineffectiveFlag, type Parsed } from "@rollcall/flags"
import { layerWallClock, type Timers } from "@rollcall/time"
import type { LayersReader } from "@rollcall/worlds"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as LogLevel from "effect/LogLevel"
import type * as Path from "effect/Path"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import type { commonFlags } from "../flags/common.ts"
import type { Program } from "../flags/Program.ts"
import { readCommandLine } from "../flags/readCommandLine.ts"
import { Host } from "../host/Host.ts"
import { layerLog } from "../log/Klog.ts"
import { layersOf } from "./layersOf.ts"

type CommonFlags = Pick<typeof commonFlags, "logging-format" | "v">
type CommonValues = FlagValues<CommonFlags> & { readonly layers?: string }

export interface LaunchOptions<Values> {
  /** Returns the speed and the start of the program's clock; by default it is the wall clock. */
  readonly clockOf?: (values: Values, wallMs: number) => { readonly speed?: number; readonly startMs?: number }
  /** The command that reads `--layers`, which decides the services that it takes; absent if it has no such flag. */
  readonly layersReader?: LayersReader
}

export type Environment = Host | Timers | FileSystem.FileSystem | Path.Path | Scope.Scope

const DEBUG_VERBOSITY = 4

/**
 * Reads a program's command line and runs it on the wall clock (or a multiple of it) until it ends or is interrupted,
 * with its log on stderr. `typed` is the command: `rollcall up`. `--help` prints the flags.
 */
export const launch = <T extends CommonFlags & Flags, E>(
  program: Program<T>,
  typed: string,
  main: (values: FlagValues<T>, parsed: Parsed<FlagValues<T>>) => Effect.Effect<void, E, Environment>,
  args: ReadonlyArray<string>,
  { clockOf = () => ({}), layersReader }: LaunchOptions<FlagValues<T>> = {}
) =>
  Effect.gen(function* () {
    const host = yield* Host
    const parsed = yield* Effect.fromResult(readCommandLine(program, typed, args))
    if (parsed.help) return host.print(commandHelp(program, typed).trimEnd())
    for (const name of parsed.ineffective.keys()) host.log(`${typed}: warning: ${ineffectiveFlag(name)}`)
    const { layers: file = "", "logging-format": format, v } = parsed.values as CommonValues
    const layers = layersReader === undefined ? Layer.empty : yield* layersOf(file, layersReader)
    const level: LogLevel.LogLevel = v >= DEBUG_VERBOSITY ? "Debug" : "Info"
    yield* main(parsed.values, parsed).pipe(
      Effect.scoped,
      // Provided over the log layer, so that errors thrown in callbacks are logged.
      Effect.provide(
        layers.pipe(
          Layer.provideMerge(layerWallClock(clockOf(parsed.values, host.wallClockMs()))),
          Layer.provideMerge(layerLog(format, host.log))
        )
      ),
      Effect.provideService(References.MinimumLogLevel, level)
    )
  })
