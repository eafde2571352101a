import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import {
  type ComponentName,
  Host,
  homeFolderOfUser,
  layersOf,
  remoteConnection,
  runComponent,
  runKubectl
} from "@rollcall/components"
import { boundedText, MAX_TEXT_BYTES } from "@rollcall/files"
import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CommandEnded } from "./CommandEnded.ts"
import { readerGoneCode } from "./ReaderGone.ts"

/**
 * Whoever read standard output has had enough: `rollcall get pods -A | head`. What runs is ended as a signal ends it, so that it
 * cleans up; a process without anything to clean up ends at once.
 */
const endWithReader = (end: () => void): void => {
  if (onError !== undefined) process.stdout.off("error", onError)
  onError = (error) => {
    if ("code" in error && error.code === "EPIPE") end()
    else throw error
  }
  process.stdout.on("error", onError)
}

/** That of the latest command: it is told of the reader even when the command is over. */
let onError: ((error: Error) => void) | undefined

/** A file of code that a person named, from the folder that they are in. */
const loadModule = (file: string): Promise<unknown> => import(pathToFileURL(resolve(file)).href)

/** This process, as components know it. */
const host = Host.of({
  environment: process.env,
  hostname: hostname(),
  homeFolder: homeFolderOfUser(),
  temporaryFolder: tmpdir(),
  processId: process.pid,
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

/** Layers of one's own for a rehearsal. */
export const rehearsalLayers = (file: string) =>
  layersOf(file, "rollcall simulate").pipe(Effect.provideService(Host, host))

/** The SHA-256 of a file, as hexadecimal digits. */
export const digestOf = (file: string) =>
  Effect.try({
    try: () => createHash("sha256").update(readFileSync(file)).digest("hex"),
    catch: (error) => invalid(file, "", `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })

/** Runs a component of a live cluster with its own command line. */
export const live = (name: ComponentName, args: ReadonlyArray<string>) => {
  endWithReader(() => process.kill(process.pid, "SIGTERM"))
  // A terminal that is closed ends the cluster as Ctrl-C does: it cleans up. Node ends by SIGHUP under nohup, too.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
  return runComponent(name, args).pipe(Effect.provideService(Host, host))
}

/** Runs one of kubectl's commands, which has exit codes of its own. */
export const kubectl = (args: ReadonlyArray<string>) => {
  endWithReader(() => process.exit(readerGoneCode))
  return runKubectl(args).pipe(
    Effect.provideService(Host, host),
    Effect.flatMap((code) => (code === 0 ? Effect.void : Effect.fail(new CommandEnded({ code }))))
  )
}

/** A connection to the cluster that a kubeconfig names; it ends with the scope. */
export const clusterConnection = (kubeconfig: string, userAgent: string, context = "") =>
  remoteConnection({ kubeconfig, context, master: "" }, userAgent).pipe(Effect.provideService(Host, host))
