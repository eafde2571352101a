import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { access, readdir, readFile, stat } from "node:fs/promises"
import { extname, join } from "node:path"
import { type InvalidInput, invalid } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import { type CredentialPluginsSetting, decodeProviders, type GivenProvider, providersOf } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import { execPluginIn } from "./execPlugin.ts"

/** The plugins of a kubelet, and a text that changes with their configuration. */
export interface CredentialPluginsStart {
  readonly setting: CredentialPluginsSetting
  readonly hash: string
}

/** Returns the plugins as an option of machines. */
export const credentialsOf = (
  start: CredentialPluginsStart | undefined
): { readonly credentialPlugins?: CredentialPluginsSetting } =>
  start === undefined ? {} : { credentialPlugins: start.setting }

/** The values of `--image-credential-provider-config` and `--image-credential-provider-bin-dir`. */
interface CredentialFlags {
  readonly config: string
  readonly folder: string
  /** Whether the gate KubeletServiceAccountTokenForCredentialProviders is on. */
  readonly allowsTokens: boolean
}

const EXTENSIONS = [".json", ".yaml", ".yml"]
const FLAGS = { config: "--image-credential-provider-config", folder: "--image-credential-provider-bin-dir" }

const refuse = (flag: string, message: string): InvalidInput => invalid("command line", flag, message)

const attempt = <A>(flag: string, act: () => Promise<A>, message: (error: Error) => string) =>
  Effect.tryPromise({ try: act, catch: (error) => refuse(flag, message(error as Error)) })

const isMissing = (error: Error): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

const checkFolder = (folder: string) =>
  attempt(
    FLAGS.folder,
    () => stat(folder),
    (error) =>
      isMissing(error)
        ? `plugin binary directory ${folder} did not exist`
        : `error inspecting binary directory ${folder}: ${error.message}`
  )

/** Returns the files of the flag: itself, or those of the folder, in lexical order. */
const filesOf = Effect.fnUntraced(function* (config: string) {
  if (config === "") return yield* refuse(FLAGS.config, "credential provider config path is empty")
  const problem = (error: Error) => `unable to access path ${JSON.stringify(config)}: ${error.message}`
  const found = yield* attempt(FLAGS.config, () => stat(config), problem)
  if (!found.isDirectory()) return [config]
  const entries = yield* attempt(FLAGS.config, () => readdir(config, { withFileTypes: true }), problem)
  const files = entries.filter((entry) => !entry.isDirectory() && EXTENSIONS.includes(extname(entry.name)))
  if (files.length === 0) {
    return yield* refuse(FLAGS.config, `no configuration files found in directory ${JSON.stringify(config)}`)
  }
  return files.map(({ name }) => join(config, name)).toSorted()
})

/** Returns the hash of the files, with the length of each before it. Upstream: plugin/config.go, readCredentialProviderConfig. */
const hashOf = (contents: ReadonlyArray<Buffer>): string => {
  const hash = createHash("sha256")
  for (const content of contents) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(content.length))
    hash.update(length).update(content)
  }
  return `sha256:${hash.digest("hex")}`
}

const checkProgram = (folder: string, name: string) => {
  const program = join(folder, name)
  return attempt(
    FLAGS.folder,
    () => access(program, constants.X_OK),
    (error) =>
      isMissing(error)
        ? `plugin binary executable ${program} did not exist`
        : `error inspecting binary executable ${program}: ${error.message}`
  )
}

/**
 * Reads the credential plugins of a kubelet, and checks that they are there; undefined if no flag asks for any. Upstream:
 * plugin.go, RegisterCredentialProviderPlugins.
 */
export const credentialPlugins = Effect.fnUntraced(function* ({ allowsTokens, config, folder }: CredentialFlags) {
  if (config === "" && folder === "") return undefined
  yield* checkFolder(folder)
  const files = yield* filesOf(config)
  const contents: Array<Buffer> = []
  const given: Array<ReadonlyArray<GivenProvider>> = []
  for (const file of files) {
    contents.push(
      yield* attempt(
        FLAGS.config,
        () => readFile(file),
        (error) => `unable to read file ${JSON.stringify(file)}: ${error.message}`
      )
    )
    const [document] = yield* readDocuments(file, { version: "1.1" })
    given.push(yield* Effect.fromResult(decodeProviders(file, document?.value)))
  }
  const providers = yield* Effect.fromResult(providersOf(config, given, allowsTokens))
  for (const { name } of providers) yield* checkProgram(folder, name)
  const start: CredentialPluginsStart = { setting: { providers, exec: execPluginIn(folder) }, hash: hashOf(contents) }
  return start
})
