import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { PullAccount } from "../images/PullCredentials.ts"
import type { DockerConfig } from "./dockerConfig.ts"
import type { CredentialMeter } from "./metrics.ts"
import { PluginCache } from "./PluginCache.ts"
import { type CacheKeyType, type PluginResponse, readResponse, requestText } from "./pluginProtocol.ts"
import type { CredentialProvider } from "./providerConfig.ts"
import { registryMatches } from "./registryMatch.ts"

/** How a plugin has ended: what it has written, or how it has failed, and what it has written about that. */
export type PluginExit = Result.Result<string, { readonly error: string; readonly stderr: string }>

/**
 * Runs a plugin: its words and variables, with the request as its input. `done` is called once, later. It does not run for
 * more than a minute.
 */
export type ExecPlugin = (provider: CredentialProvider, request: string, done: (exit: PluginExit) => void) => void

/** The service account for whose pod a plugin is asked. */
export interface PluginAccount {
  readonly account: PullAccount
  readonly annotations: Readonly<Record<string, string>>
  readonly token: string
}

export type PluginAsk = (found: Result.Result<DockerConfig, string>) => void

interface CredentialPluginParts {
  readonly exec: ExecPlugin
  readonly timers: TimersShape
  readonly meter: CredentialMeter | undefined
}

const isCacheKeyType = (text: string): text is CacheKeyType => ["Image", "Registry", "Global"].includes(text)

/** One credential plugin, with its answers. Upstream: pkg/credentialprovider/plugin/plugin.go, pluginProvider. */
export class CredentialPlugin {
  readonly provider: CredentialProvider
  private readonly parts: CredentialPluginParts
  private readonly cache: PluginCache
  /** Those who wait for a plugin that runs, by what it was asked: each is asked once at a time. */
  private readonly running = new Map<string, Array<PluginAsk>>()

  constructor(provider: CredentialProvider, parts: CredentialPluginParts) {
    this.provider = provider
    this.parts = parts
    this.cache = new PluginCache(parts.timers.now())
  }

  serves(image: string): boolean {
    return this.provider.matchImages.some((pattern) => registryMatches(pattern, image))
  }

  /** Asks for the credentials for an image. Passes them, or why the plugin has failed: within the call if they are known. */
  ask(image: string, account: PluginAccount | undefined, done: PluginAsk): void {
    const key = this.accountKey(account)
    const known = this.cache.get(image, key, this.parts.timers.now())
    if (known !== undefined) {
      done(Result.succeed(known))
      return
    }
    const asked = JSON.stringify([image, account?.token, account?.annotations])
    const others = this.running.get(asked)
    if (others !== undefined) {
      others.push(done)
      return
    }
    const waiting = [done]
    this.running.set(asked, waiting)
    this.run(image, account, (response) => {
      this.running.delete(asked)
      const found = Result.flatMap(response, (given) => this.take(image, key, account, given))
      for (const each of waiting) each(found)
    })
  }

  /** Names the account for which an answer holds, with its token if that is what the plugin gives back. */
  private accountKey(account: PluginAccount | undefined): string {
    if (account === undefined) return ""
    const { uid, name, namespace } = account.account
    const annotations = Object.entries(account.annotations).toSorted(([left], [right]) => (left < right ? -1 : 1))
    const token = this.provider.token?.cacheType === "Token" ? [account.token] : []
    return JSON.stringify([namespace, name, uid, annotations, ...token])
  }

  private run(
    image: string,
    account: PluginAccount | undefined,
    done: (response: Result.Result<PluginResponse, string>) => void
  ): void {
    const { apiVersion, name } = this.provider
    const { exec, meter, timers } = this.parts
    const request = requestText(apiVersion, {
      image,
      ...(account === undefined
        ? {}
        : { serviceAccountToken: account.token, serviceAccountAnnotations: account.annotations })
    })
    const beganMs = timers.now()
    exec(this.provider, request, (exit) => {
      meter?.pluginRan(name, (timers.now() - beganMs) / 1000, Result.isFailure(exit))
      const response = Result.isFailure(exit)
        ? Result.fail(
            `error execing credential provider plugin ${name} for image ${image}: ${exit.failure.error}: ${exit.failure.stderr}`
          )
        : readResponse(apiVersion, exit.success)
      done(
        Result.mapError(
          response,
          (why) => `failed to get credential from external registry credential provider: ${why}`
        )
      )
    })
  }

  /** Takes an answer, and keeps it as long as it holds. */
  private take(
    image: string,
    key: string,
    account: PluginAccount | undefined,
    { cacheKeyType, cacheMs, config }: PluginResponse
  ): Result.Result<DockerConfig, string> {
    const { defaultCacheMs, token } = this.provider
    const isEcho = account !== undefined && [...config.values()].some(({ password }) => password === account.token)
    if (isEcho && token?.cacheType !== "Token") {
      return Result.fail(
        "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'"
      )
    }
    if (!isCacheKeyType(cacheKeyType)) {
      return Result.fail(`credential provider plugin did not return a valid cacheKeyType: ${cacheKeyType}`)
    }
    const validMs = cacheMs ?? defaultCacheMs
    if (validMs !== 0) {
      this.cache.add(cacheKeyType, image, key, { config, expiresMs: this.parts.timers.now() + validMs })
    }
    return Result.succeed(config)
  }
}
