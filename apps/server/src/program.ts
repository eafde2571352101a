import "effect/schema/SchemaJITCompiler/enable"
import { hostname, tmpdir } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { addressesOfHost, Host, homeFolderOfUser, readCommandLine } from "@rollcall/components"
import { endAtSecondSignal } from "@rollcall/components/start"
import { layerBoundedFiles } from "@rollcall/files"
import { isInvalidInput } from "@rollcall/input"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { daemon } from "./Daemon.ts"
import { daemonCommand, usage } from "./usage.ts"

/** The environment and the streams of this process. The daemon reads no standard input and prints no results. */
const host = Host.of({
  environment: process.env,
  hostname: hostname(),
  homeFolder: homeFolderOfUser(),
  addresses: addressesOfHost,
  temporaryFolder: tmpdir(),
  processId: process.pid,
  errorSource: process,
  load: (file) => import(pathToFileURL(resolve(file)).href),
  wallClockMs: Date.now,
  print: (line) => process.stdout.write(`${line}\n`),
  log: (line) => process.stderr.write(`${line}\n`),
  output: () => undefined,
  error: (text) => process.stderr.write(text),
  stdin: () => Promise.resolve("")
})

/** Returns the exit code: 0 after a signal, 2 for wrong settings, 1 for another error, which it prints. */
const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  host.log(`rollcalld: ${error instanceof Error ? error.message : String(error)}`)
  return isInvalidInput(error) ? 2 : 1
}

const main = Effect.gen(function* () {
  const { help, values } = yield* Effect.fromResult(readCommandLine(daemonCommand, "rollcalld", process.argv.slice(2)))
  if (help) return host.print(usage())
  return yield* daemon(values.config)
})

endAtSecondSignal()

main.pipe(
  Effect.provideService(Host, host),
  Effect.provide(Layer.provideMerge(layerBoundedFiles, NodeServices.layer)),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: (exit, onExit) => onExit(exitCodeOf(exit)) })
)
