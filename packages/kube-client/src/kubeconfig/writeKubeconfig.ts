import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync
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

/** All or nothing, and for its owner's eyes only from the first byte on. */
const replaceFile = (file: string, text: string): void => {
  const real = target(file)
  mkdirSync(dirname(real), { recursive: true, mode: 0o700 })
  const draft = `${real}.draft`
  rmSync(draft, { force: true })
  const handle = openSync(draft, "wx", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  chmodSync(draft, 0o600)
  renameSync(draft, real)
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

/** Writes a file that holds this configuration alone: atomically, with mode 0600. */
export const writeKubeconfig = (file: string, config: Kubeconfig): Effect.Effect<void, KubeconfigError> =>
  Effect.try({ try: () => replaceFile(file, formatKubeconfig(config)), catch: failure(file) })

const sections = ["clusters", "contexts", "users"] as const

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
