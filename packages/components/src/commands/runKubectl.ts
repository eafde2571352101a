import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { MAX_TEXT_BYTES, readText } from "@rollcall/files"
import { commandHelp } from "@rollcall/flags"
import { linesOf, rawOf } from "@rollcall/kube-client"
import { type Host as CommandHost, readVerb, runVerb, type SourceFile } from "@rollcall/kubectl"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { remoteConnection } from "../clients/remote.ts"
import { Host } from "../host/Host.ts"

const MANIFEST = /\.(json|yaml|yml)$/

/** Returns the files of `-f PATH`: itself, or the manifests of a folder. */
const manifestPaths = (path: string, recursive: boolean): ReadonlyArray<string> | undefined => {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind === undefined) return undefined
  if (!kind.isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) return recursive ? (manifestPaths(inside, true) ?? []) : []
      return MANIFEST.test(entry.name) ? [inside] : []
    })
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Reads the files one by one; fails with the name of one that cannot be read. */
const readManifests = Effect.fnUntraced(function* (path: string, recursive: boolean) {
  const paths = yield* Effect.try({
    try: () => manifestPaths(path, recursive),
    catch: (cause) => ({ message: reasonOf(cause) })
  })
  if (paths === undefined) return undefined
  return yield* Effect.forEach(paths, (file) =>
    readText(file, MAX_TEXT_BYTES).pipe(
      Effect.map((text): SourceFile => ({ path: file, text })),
      Effect.mapError(({ message }) => ({ message: `${file}: ${message}` }))
    )
  )
})

/** Runs a kubectl command line, from its verb on, against the cluster of a kubeconfig. Returns the exit code. */
export const runKubectl = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { error, output, stdin } = yield* Host
    const read = readVerb(args)
    if (Result.isFailure(read)) {
      error(`${read.failure.text}\n`)
      return 1
    }
    const { args: given, help, name, verb } = read.success
    if (help) {
      output(commandHelp(verb, `rollcall ${name}`))
      return 0
    }
    const flags = {
      kubeconfig: given.text("kubeconfig") ?? "",
      context: given.text("context") ?? "",
      master: given.text("server") ?? ""
    }
    const connectionOfUser = yield* remoteConnection(flags, "kubectl/v1.32.0 (linux/amd64)")
    const user = given.text("as") ?? ""
    const connection = user === "" ? connectionOfUser : connectionOfUser.as({ user, groups: given.texts("as-group") })
    const host: CommandHost = {
      api: { raw: rawOf(connection), lines: linesOf(connection) },
      namespace: connectionOfUser.config.namespace,
      server: connectionOfUser.config.server,
      stdout: output,
      stderr: error,
      readFiles: readManifests,
      stdin: Effect.tryPromise({ try: stdin, catch: (cause) => ({ message: `standard input: ${reasonOf(cause)}` }) })
    }
    return yield* runVerb(host, read.success)
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
