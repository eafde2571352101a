import type { Pod, ServiceAccount } from "@rollcall/api"
import type { ComponentLog, Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { PullAccount } from "../images/PullCredentials.ts"
import type { TokenManager } from "../references/TokenManager.ts"
import { CredentialPlugin, type ExecPlugin, type PluginAccount, type PluginAsk } from "./CredentialPlugin.ts"
import type { CredentialProviders } from "./CredentialProviders.ts"
import { Keyring } from "./Keyring.ts"
import type { CredentialMeter } from "./metrics.ts"
import type { CredentialProvider, TokenAttributes } from "./providerConfig.ts"

/** The plugins of `--image-credential-provider-config`, and what runs them. */
export interface CredentialPluginsSetting {
  readonly providers: ReadonlyArray<CredentialProvider>
  readonly exec: ExecPlugin
}

interface CredentialPluginsParts extends CredentialPluginsSetting {
  readonly connection: Connection
  readonly timers: TimersShape
  readonly tokens: () => TokenManager
  readonly log: ComponentLog
  readonly meter: CredentialMeter | undefined
}

/** Says that a plugin is not asked for a pod: a service account, or an annotation of it, is what it needs. */
const NOT_ASKED = "notAsked"

const annotationsOf = (
  { metadata }: ServiceAccount,
  { optionalAnnotations, requiredAnnotations }: TokenAttributes
): Readonly<Record<string, string>> | undefined => {
  const given = metadata.annotations ?? {}
  if (requiredAnnotations.some((key) => !Object.hasOwn(given, key))) return undefined
  const keys = [...requiredAnnotations, ...optionalAnnotations].filter((key) => Object.hasOwn(given, key))
  return Object.fromEntries(keys.map((key) => [key, given[key] ?? ""]))
}

/**
 * The credential plugins of one kubelet. One that fails is logged and counted, and gives no credentials. Upstream:
 * pkg/credentialprovider/plugin.
 */
export class CredentialPlugins implements CredentialProviders {
  private readonly parts: CredentialPluginsParts
  private readonly plugins: ReadonlyArray<CredentialPlugin>

  constructor(parts: CredentialPluginsParts) {
    this.parts = parts
    this.plugins = parts.providers.map((provider) => new CredentialPlugin(provider, parts))
  }

  provide(image: string, pod: Pod, done: (keyring: Keyring) => void): void {
    const asked = this.plugins.filter((plugin) => plugin.serves(image))
    const keyring = new Keyring()
    const next = (index: number): void => {
      const plugin = asked[index]
      if (plugin === undefined) {
        done(keyring)
        return
      }
      this.askOne(plugin, image, pod, (account, found) => {
        if (Result.isSuccess(found)) keyring.add(found.success, account === undefined ? {} : { account })
        else this.failed(plugin, image, pod, found.failure)
        next(index + 1)
      })
    }
    next(0)
  }

  private failed({ provider: { name, token } }: CredentialPlugin, image: string, pod: Pod, err: string): void {
    const { name: podName, namespace, uid } = pod.metadata
    const about = {
      pod: `${namespace}/${podName}`,
      podUID: uid,
      serviceAccount: `${namespace}/${pod.spec.serviceAccountName}`
    }
    const fields = { provider: name, image, err, ...(token === undefined ? {} : about) }
    this.parts.log("error", "Failed to provide credentials for image", fields)
  }

  private askOne(
    plugin: CredentialPlugin,
    image: string,
    pod: Pod,
    done: (account: PullAccount | undefined, found: Parameters<PluginAsk>[0]) => void
  ): void {
    const { token } = plugin.provider
    const { serviceAccountName = "" } = pod.spec
    if (token === undefined || (serviceAccountName === "" && !token.requireServiceAccount)) {
      plugin.ask(image, undefined, (found) => done(undefined, found))
      return
    }
    if (serviceAccountName === "") {
      done(undefined, Result.succeed(new Map()))
      return
    }
    this.accountOf(pod, token, (read) => {
      if (read === NOT_ASKED) done(undefined, Result.succeed(new Map()))
      else if (Result.isFailure(read)) done(undefined, Result.fail(read.failure))
      else plugin.ask(image, read.success, (found) => done(read.success.account, found))
    })
  }

  /** Reads the service account of a pod, and requests a token of it. */
  private accountOf(
    pod: Pod,
    token: TokenAttributes,
    done: (read: Result.Result<PluginAccount, string> | typeof NOT_ASKED) => void
  ): void {
    const { namespace = "" } = pod.metadata
    const { serviceAccountName: name = "" } = pod.spec
    this.parts.connection.send({ verb: "get", kind: "ServiceAccount", namespace, name }, (answer) => {
      if (Result.isFailure(answer)) {
        done(Result.fail(`failed to get service account: ${answer.failure.message}`))
        return
      }
      const account = answer.success as ServiceAccount
      const annotations = annotationsOf(account, token)
      if (annotations === undefined) {
        done(NOT_ASKED)
        return
      }
      this.parts.tokens().tokenFor(pod, { audience: token.audience }, (text) =>
        done(
          Result.mapBoth(text, {
            onSuccess: (text) => ({
              account: { uid: account.metadata.uid ?? "", namespace, name },
              annotations,
              token: text
            }),
            onFailure: (problem) => `failed to get service account token: ${problem}`
          })
        )
      )
    })
  }
}
