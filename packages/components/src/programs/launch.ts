import { layerWallClock, type Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as LogLevel from "effect/LogLevel"
import type * as Path from "effect/Path"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import type { Flags, FlagValues } from "../flags/Flag.ts"
import { type Parsed, type Program, parseFlags, usageOf } from "../flags/parseFlags.ts"
import { Host } from "../host/Host.ts"
import { type LogFormat, layerLog } from "../log/Klog.ts"

interface CommonValues {
  readonly help: boolean
  readonly "logging-format": LogFormat
  readonly v: number
}

export type Environment = Host | Timers | FileSystem.FileSystem | Path.Path | Scope.Scope

const DEBUG_FROM = 4

/**
 * Reads a program's command line and runs it on the wall clock (or a multiple of it) until it ends or is interrupted, with its
 * log on stderr. `--help` prints the flags.
 */
export const launch = <T extends Flags, E>(
  program: Program<T>,
  main: (values: FlagValues<T>, parsed: Parsed<T>) => Effect.Effect<void, E, Environment>,
  args: ReadonlyArray<string>,
  speedOf: (values: FlagValues<T>) => number = () => 1
) =>
  Effect.gen(function* () {
    const host = yield* Host
    const parsed = yield* Effect.fromResult(parseFlags(program, args))
    const { help, "logging-format": format, v } = parsed.values as unknown as CommonValues
    if (help) return host.print(usageOf(program).trimEnd())
    for (const warning of parsed.warnings) host.log(`${program.name}: warning: ${warning}`)
    const level: LogLevel.LogLevel = v >= DEBUG_FROM ? "Debug" : "Info"
    yield* main(parsed.values, parsed).pipe(
      Effect.scoped,
      Effect.provide(Layer.mergeAll(layerWallClock({ speed: speedOf(parsed.values) }), layerLog(format, host.log))),
      Effect.provideService(References.MinimumLogLevel, level)
    )
  })
