import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Document, isMap, isSeq, parseDocument, stringify } from "yaml"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { type KubeconfigError, problem } from "./KubeconfigError.ts"
import { parseKubeconfig } from "./parseKubeconfig.ts"

/** How an administrator or a component reaches a server. PEM texts, which are put into the file. */
export interface KubeconfigFor {
  /** Of the cluster and the context. */
  readonly name: string
  /** Of the user; default: the name, too. */
  readonly user?: string
  readonly server: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
  readonly namespace?: string
}

/** More is no kubeconfig that this package wrote. */
const LARGEST_BYTES = 1 << 20

const base64 = (pem: string): string => Buffer.from(pem).toString("base64")

/** A kubeconfig with one cluster, one user and one context, which is the current one. */
export const kubeconfigFor = (given: KubeconfigFor): Kubeconfig => {
  const { ca, cert, key, name, namespace, server, token, user = name } = given
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server, ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }) } }
    ],
    contexts: [{ name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } }],
    "current-context": name,
    users: [
      {
        name: user,
        user: {
          ...(cert === undefined ? {} : { "client-certificate-data": base64(cert) }),
          ...(key === undefined ? {} : { "client-key-data": base64(key) }),
          ...(token === undefined ? {} : { token })
        }
      }
    ]
  }
}

/** The text of a kubeconfig file. */
export const formatKubeconfig = (config: Kubeconfig): string => stringify(config, { lineWidth: 0 })

/** Through a symbolic link to the file that it names; rename would replace the link. */
const target = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** What is done to a file, or to a folder's names, is on the disk when this returns. */
const onDisk = (path: string, flags: "wx" | "r", act: (handle: number) => void): void => {
  const handle = openSync(path, flags, 0o600)
  try {
    act(handle)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** All or nothing, and for its owner's eyes only from the first byte on. */
const replaceFile = (file: string, text: string): void => {
  const real = target(file)
  mkdirSync(dirname(real), { recursive: true, mode: 0o700 })
  const draft = `${real}.draft`
  rmSync(draft, { force: true })
  try {
    onDisk(draft, "wx", (handle) => writeFileSync(handle, text))
    chmodSync(draft, 0o600)
    renameSync(draft, real)
    onDisk(dirname(real), "r", () => {})
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

/** Other writers of the file (kubectl config) hold `<file>.lock` while they read and write it. */
const locked = (file: string, act: () => void): void => {
  const lock = `${target(file)}.lock`
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  closeSync(openSync(lock, "wx", 0o600))
  try {
    act()
  } finally {
    rmSync(lock, { force: true })
  }
}

const failure = (file: string) => (cause: unknown) => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const isLocked = (cause as NodeJS.ErrnoException).code === "EEXIST"
  return problem(
    file,
    "",
    isLocked ? `is locked by another program; if none is running, remove ${file}.lock` : `cannot be written: ${text}`
  )
}

const sections = ["clusters", "contexts", "users"] as const

const namesIn = (config: Kubeconfig): ReadonlyArray<string> =>
  sections.flatMap((section) => (config[section] ?? []).map(({ name }) => `${section}/${name}`))

/**
 * Why a kubeconfig may not be put in the place of what lies at a path: a symbolic link, which may lead to a file of somebody else, or
 * a file that holds something else than entries of the same names. Undefined: there is nothing, or an earlier such kubeconfig.
 */
export const kubeconfigObstacle = (
  file: string,
  config: Kubeconfig
): Effect.Effect<KubeconfigError | undefined, KubeconfigError> =>
  Effect.try({
    try: () => {
      const status = lstatSync(file, { throwIfNoEntry: false })
      if (status === undefined) return undefined
      if (status.isSymbolicLink()) return problem(file, "", "is a symbolic link: name the file that it leads to")
      if (!status.isFile()) return problem(file, "", "is not a file: name another")
      const text = status.size > LARGEST_BYTES ? undefined : readFileSync(file, "utf8")
      if (text === "") return undefined
      const parsed = text === undefined ? undefined : parseKubeconfig(file, text)
      const hint = "it is not overwritten: name another file, or move this one away"
      if (parsed === undefined || Result.isFailure(parsed)) return problem(file, "", `is no kubeconfig; ${hint}`)
      const own = namesIn(config)
      const others = namesIn(parsed.success.config).filter((name) => !own.includes(name))
      return others.length === 0 ? undefined : problem(file, "", `holds ${others[0]}; ${hint}`)
    },
    catch: failure(file)
  })

/**
 * Writes a file that holds this configuration alone: atomically, with mode 0600. Not through a symbolic link, and not over anything
 * but a kubeconfig with the same names.
 */
export const writeKubeconfig = (file: string, config: Kubeconfig): Effect.Effect<void, KubeconfigError> =>
  Effect.gen(function* () {
    const obstacle = yield* kubeconfigObstacle(file, config)
    if (obstacle !== undefined) return yield* obstacle
    yield* Effect.try({ try: () => replaceFile(file, formatKubeconfig(config)), catch: failure(file) })
  })

/** Puts each named entry in the place of its namesake, or at the end. What is not named stays as it is, comments too. */
const mergeInto = (document: Document, config: Kubeconfig, setCurrent: boolean): void => {
  if (!isMap(document.contents)) document.contents = document.createNode({ apiVersion: "v1", kind: "Config" })
  for (const section of sections) {
    let list = document.get(section)
    if (!isSeq(list)) {
      document.set(section, document.createNode([]))
      list = document.get(section)
    }
    if (!isSeq(list)) continue
    list.flow = false
    for (const entry of config[section] ?? []) {
      const at = list.items.findIndex((item) => isMap(item) && item.get("name") === entry.name)
      if (at < 0) list.items.push(document.createNode(entry))
      else list.items[at] = document.createNode(entry)
    }
  }
  const current = document.get("current-context")
  if (setCurrent || current === undefined || current === "") document.set("current-context", config["current-context"])
}

export interface MergeOptions {
  /** Make the entry's context the current one (default), or only when there is none. */
  readonly setCurrent?: boolean
}

/**
 * Adds a configuration's entries to a kubeconfig file, or replaces those of the same names, as `kubectl config set-…` would:
 * under its lock file, atomically, with mode 0600; all else in the file is kept. A file that is no kubeconfig is left alone.
 */
export const mergeKubeconfig = (
  file: string,
  config: Kubeconfig,
  { setCurrent = true }: MergeOptions = {}
): Effect.Effect<void, KubeconfigError> =>
  Effect.gen(function* () {
    const merge = (text: string): void => {
      const document = parseDocument(text)
      mergeInto(document, config, setCurrent)
      replaceFile(file, document.toString({ lineWidth: 0 }))
    }
    const refusal = yield* Effect.try({
      try: () => {
        let refused: KubeconfigError | undefined
        locked(file, () => {
          const text = present(file)
          const checked = parseKubeconfig(file, text)
          if (Result.isFailure(checked)) refused = checked.failure
          else merge(text)
        })
        return refused
      },
      catch: failure(file)
    })
    if (refusal !== undefined) return yield* refusal
  })

const present = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw cause
  }
}
