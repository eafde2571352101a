import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import {
  addressesOfHost,
  type ComponentName,
  Host,
  homeFolderOfUser,
  layersOf,
  remoteConnection,
  runComponent,
  runKubectl
} from "@rollcall/components"
import { endAtSecondSignal } from "@rollcall/components/start"
import { boundedText, MAX_TEXT_BYTES } from "@rollcall/files"
import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { brokenPipeCode } from "./BrokenPipe.ts"
import { CommandEnded } from "./CommandEnded.ts"

/**
 * Calls `end` if the reader of standard output closes the pipe: `rollcall get pods -A | head`. A component sends itself SIGTERM then, so
 * that it cleans up; a kubectl command, which has nothing to clean up, exits at once. A second call replaces the first `end`.
 */
const onReaderClosed = (end: () => void): void => {
  if (onError !== undefined) process.stdout.off("error", onError)
  onError = (error) => {
    if ("code" in error && error.code === "EPIPE") end()
    else throw error
  }
  process.stdout.on("error", onError)
}

/** The handler of the latest command. It stays registered when the command has ended, because buffered output may still be written. */
let onError: ((error: Error) => void) | undefined

/** Imports a module that the user named, relative to the working directory. */
const loadModule = (file: string): Promise<unknown> => import(pathToFileURL(resolve(file)).href)

/** The environment, the streams and the clock of this process, for components and kubectl commands. */
const host = Host.of({
  environment: process.env,
  hostname: hostname(),
  homeFolder: homeFolderOfUser(),
  addresses: addressesOfHost,
  temporaryFolder: tmpdir(),
  processId: process.pid,
  errorSource: process,
  load: loadModule,
  wallClockMs: Date.now,
  print: (line) => process.stdout.write(`${line}\n`),
  log: (line) => process.stderr.write(`${line}\n`),
  output: (written) => process.stdout.write(written),
  error: (written) => process.stderr.write(written),
  stdin: () =>
    Effect.runPromise(
      boundedText(
        Stream.fromAsyncIterable<Uint8Array, unknown>(process.stdin, (cause) => cause),
        MAX_TEXT_BYTES
      )
    )
})

/** Loads the user's layers for a rehearsal from a code file. */
export const rehearsalLayers = (file: string) =>
  layersOf(file, "rollcall simulate").pipe(Effect.provideService(Host, host))

/** Returns the SHA-256 of a file in hexadecimal. */
export const digestOf = (file: string) =>
  Effect.try({
    try: () => createHash("sha256").update(readFileSync(file)).digest("hex"),
    catch: (error) => invalid(file, "", `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })

/** Runs a component of a live cluster with its command line. */
export const live = (name: ComponentName, args: ReadonlyArray<string>) => {
  let isEnding = false
  // Once: a second SIGTERM would end it without its clean-up.
  const end = () => {
    if (!isEnding) process.kill(process.pid, "SIGTERM")
    isEnding = true
  }
  onReaderClosed(end)
  // A closed terminal ends the cluster like Ctrl-C, with its clean-up. Node ends on SIGHUP even under nohup.
  process.once("SIGHUP", end)
  endAtSecondSignal()
  return runComponent(name, args).pipe(Effect.provideService(Host, host))
}

/** Runs a kubectl command. Fails with CommandEnded if its exit code is not 0. */
export const kubectl = (args: ReadonlyArray<string>) => {
  onReaderClosed(() => process.exit(brokenPipeCode))
  return runKubectl(args).pipe(
    Effect.provideService(Host, host),
    Effect.flatMap((code) => (code === 0 ? Effect.void : Effect.fail(new CommandEnded({ code }))))
  )
}

export interface ConnectionOptions {
  /** The path of the kubeconfig; "" selects the kubeconfig that kubectl would use. */
  readonly kubeconfig: string
  /** The name of a context of the kubeconfig; absent or "" selects its current context. */
  readonly context?: string
  /** The User-Agent of the requests. */
  readonly userAgent: string
}

/** Connects to the cluster of a kubeconfig; closing the scope closes the connection. */
export const clusterConnection = ({ context = "", kubeconfig, userAgent }: ConnectionOptions) =>
  remoteConnection({ kubeconfig, context, master: "" }, userAgent).pipe(Effect.provideService(Host, host))
