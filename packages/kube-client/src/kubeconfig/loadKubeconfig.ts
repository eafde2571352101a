import { dirname, resolve } from "node:path"
import { readText } from "@rollcall/files"
import { type InvalidInput, invalid, type Problem } from "@rollcall/input"
import { rememberSource, withLineNumbers } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import type { ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from "./Kubeconfig.ts"
import { MAX_KUBECONFIG_BYTES } from "./limits.ts"
import { parseKubeconfig } from "./parseKubeconfig.ts"

/** An entry and its location. */
export interface PlacedEntry<A> {
  readonly entry: A
  readonly file: string
  /** `users[0].user` */
  readonly path: string
}

/** The merged kubeconfig files: for each name and each setting, the first definition is used. */
export interface LoadedKubeconfig {
  readonly files: ReadonlyArray<string>
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, PlacedEntry<ClusterEntry>>
  readonly contexts: ReadonlyMap<string, PlacedEntry<ContextEntry>>
  readonly users: ReadonlyMap<string, PlacedEntry<UserEntry>>
  readonly warnings: ReadonlyArray<Problem>
}

export interface LoadOptions {
  /** The file of `--kubeconfig`: it replaces all others, and must exist. */
  readonly file?: string | undefined
  /** The value of KUBECONFIG: paths joined by `:`; files that do not exist are skipped. */
  readonly kubeconfig?: string | undefined
  /** The file used otherwise: `~/.kube/config`. */
  readonly defaultFile?: string | undefined
}

/** Returns the files that kubectl would read. Upstream: client-go/tools/clientcmd/loader.go. */
export const kubeconfigFiles = ({ defaultFile, file, kubeconfig }: LoadOptions): ReadonlyArray<string> => {
  if (file !== undefined && file !== "") return [file]
  const listed = (kubeconfig ?? "").split(":").filter((path) => path !== "")
  if (listed.length > 0) return [...new Set(listed)]
  return defaultFile === undefined ? [] : [defaultFile]
}

const readIfPresent = (file: string): Effect.Effect<string | undefined, InvalidInput> =>
  readText(file, MAX_KUBECONFIG_BYTES).pipe(
    Effect.catch(({ message, reason }) =>
      reason === "missing" ? Effect.succeed(undefined) : Effect.fail(invalid(file, "", message))
    )
  )

const addFirstEntries = <K extends string, A>(
  into: Map<string, PlacedEntry<A>>,
  file: string,
  section: string,
  key: K,
  entries: ReadonlyArray<{ readonly name: string } & Readonly<Record<K, A>>> | null | undefined
): void => {
  for (const [index, named] of (entries ?? []).entries()) {
    if (!into.has(named.name)) into.set(named.name, { entry: named[key], file, path: `${section}[${index}].${key}` })
  }
}

const withAbsoluteFields = <A extends object>(file: string, entry: A, fields: ReadonlyArray<keyof A>): A => {
  const changed: Partial<Record<keyof A, unknown>> = {}
  for (const field of fields) {
    const path = entry[field]
    if (typeof path === "string" && path !== "") changed[field] = resolve(dirname(file), path)
  }
  return { ...entry, ...changed }
}

/** Resolves relative paths against the kubeconfig that contains them; also a plugin's command that contains a slash. */
const withAbsolutePaths = (file: string, config: Kubeconfig): Kubeconfig => ({
  ...config,
  clusters: (config.clusters ?? []).map(({ cluster, name }) => ({
    name,
    cluster: withAbsoluteFields(file, cluster, ["certificate-authority"])
  })),
  users: (config.users ?? []).map(({ name, user }) => {
    const found = withAbsoluteFields(file, user, ["client-certificate", "client-key", "tokenFile"])
    const { exec } = found
    return {
      name,
      user:
        exec?.command.includes("/") === true ? { ...found, exec: withAbsoluteFields(file, exec, ["command"]) } : found
    }
  })
})

/** Reads and merges kubeconfig files: of entries with one name, and of current contexts, the first is used. */
export const loadKubeconfig = (options: LoadOptions): Effect.Effect<LoadedKubeconfig, InvalidInput> =>
  Effect.gen(function* () {
    const files = kubeconfigFiles(options)
    const clusters = new Map<string, PlacedEntry<ClusterEntry>>()
    const contexts = new Map<string, PlacedEntry<ContextEntry>>()
    const users = new Map<string, PlacedEntry<UserEntry>>()
    const warnings: Array<Problem> = []
    let currentContext: string | undefined
    for (const file of files) {
      const text = yield* readIfPresent(file)
      if (text === undefined) {
        if (file === options.file) return yield* invalid(file, "", "no such file")
        continue
      }
      yield* rememberSource({ file, text })
      const parsed = yield* Effect.fromResult(parseKubeconfig(file, text))
      const config = withAbsolutePaths(file, parsed.config)
      warnings.push(...parsed.warnings)
      if ((currentContext ?? "") === "") currentContext = config["current-context"]
      addFirstEntries(clusters, file, "clusters", "cluster", config.clusters)
      addFirstEntries(contexts, file, "contexts", "context", config.contexts)
      addFirstEntries(users, file, "users", "user", config.users)
    }
    return { files, currentContext, clusters, contexts, users, warnings }
  }).pipe(withLineNumbers)
