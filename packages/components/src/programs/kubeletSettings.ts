import type { Release } from "@rollcall/api"
import type { FlagValues } from "@rollcall/flags"
import type { ListenFlagNames } from "@rollcall/input"
import { invalid } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import {
  type KubeletConfig,
  type KubeletConfiguration,
  type KubeletFlagValues,
  type KubeletSettings,
  nodeNameOf,
  removedFlags,
  removedFlagText
} from "@rollcall/kubelet"
import { DEFAULT_CAPACITY, refusedResources, resolveKubeletInput } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CredentialPluginsStart, credentialPlugins } from "../credentials/credentialPlugins.ts"
import { Host } from "../host/Host.ts"
import type { kubeletProgram } from "./kubelet.ts"
import { kubeletLayers } from "./kubeletFiles.ts"
import { releaseOf } from "./release.ts"

/** The resolved command line of a kubelet. */
export interface KubeletStart {
  /** The name of its node. */
  readonly name: string
  readonly config: KubeletConfig
  /** The sources of `config`, for fleets that add settings of their own. */
  readonly settings: KubeletSettings
  /** The whole configuration, with defaults, files and flags. */
  readonly configuration: KubeletConfiguration
  readonly release: Release
  /** The address of /healthz and /metrics; with port 0 they are not served. */
  readonly health: { readonly "bind-address": string; readonly "secure-port": number }
  /** The flags that set this address, for error messages. */
  readonly healthFlags: ListenFlagNames
  /** The address of the API server from flags; empty if none was given. */
  readonly master: string
  /** The plugins that have credentials for registries; undefined if there are none. */
  readonly credentials: CredentialPluginsStart | undefined
  readonly warnings: ReadonlyArray<string>
}

const COMMAND_LINE = "command line"

/** The message of upstream 1.4. */
const CONFIG_FLAG_DEPRECATED =
  "Flag --config has been deprecated, Use --pod-manifest-path instead. Will be removed in a future version."

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the values of flags that were given. */
const withoutUndefined = (values: KubeletFlagValues): KubeletFlagValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/**
 * Resolves the command line of a kubelet: reads its files, merges them with the flags, and validates the result like
 * kubelet, without other effects. `scenarioRelease` overrides the release of the flags.
 */
export const kubeletSettingsOf = Effect.fnUntraced(function* (
  values: FlagValues<typeof kubeletProgram.flags>,
  scenarioRelease?: Release
) {
  const release = scenarioRelease ?? (yield* Effect.fromResult(releaseOf(values.release)))
  const warnings: Array<string> = []
  const configIsManifestPath = release.configFlag === "manifests" && values.config !== ""
  if (configIsManifestPath) warnings.push(CONFIG_FLAG_DEPRECATED)
  const given = withoutUndefined(
    configIsManifestPath ? { "pod-manifest-path": values.config, ...withoutUndefined(values) } : values
  )
  for (const { name } of removedFlags) {
    const value = given[name]
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const removed = removedFlagText(name, release)
    if (removed !== undefined) return yield* invalid(COMMAND_LINE, `--${name}`, removed)
  }
  const { hostname } = yield* Host
  const override = given["hostname-override"]
  const name = nodeNameOf(typeof override === "string" ? override : "", hostname)
  if (Result.isFailure(name)) return yield* invalid(COMMAND_LINE, "--hostname-override", name.failure)
  const files = yield* kubeletLayers(configIsManifestPath ? "" : values.config, values["config-dir"])
  const settings: KubeletSettings = { ...files.layers, flags: given }
  const resolved = yield* Effect.fromResult(resolveKubeletInput(settings, release))
  // A real machine is checked when the kubelet starts, and the groups of a scenario have their own hardware.
  if (values.host === "modelled" && values.scenario === "") {
    const refusal = refusedResources({ config: resolved.config, capacity: DEFAULT_CAPACITY }, release)
    if (refusal !== undefined) return yield* invalid("kubelet", "", refusal)
  }
  const { healthzBindAddress = "127.0.0.1", healthzPort = 0 } = resolved.configuration
  const start: KubeletStart = {
    name: name.success,
    config: resolved.config,
    settings,
    configuration: resolved.configuration,
    release,
    health: {
      "bind-address": values["bind-address"] || healthzBindAddress,
      "secure-port": values["secure-port"] ?? healthzPort
    },
    healthFlags: {
      port: values["secure-port"] === undefined ? "--healthz-port" : "--secure-port",
      host: values["bind-address"] === "" ? "--healthz-bind-address" : "--bind-address"
    },
    credentials: yield* credentialPlugins({
      config: textOf(given["image-credential-provider-config"]),
      folder: textOf(given["image-credential-provider-bin-dir"]),
      allowsTokens: resolved.config.featureGates.KubeletServiceAccountTokenForCredentialProviders
    }),
    master: values.master || (values["api-servers"][0] ?? ""),
    warnings: [...warnings, ...files.warnings, ...resolved.warnings]
  }
  return start
}, withLineNumbers)
