import type { CustomResourceDefinition, KubeObject, WebhookClientConfig } from "@rollcall/api"
import type { Fields } from "@rollcall/api/values"
import { GuardedCall, WebhookClient } from "@rollcall/dynamic-admission/client"
import * as Result from "effect/Result"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import { makeUid } from "../../core/registry/SeededRandom.ts"
import { ConversionMetrics } from "./ConversionMetrics.ts"
import {
  type Conversion,
  type ConversionFault,
  failurePrefix,
  readConverted,
  reviewOf,
  reviewVersionOf
} from "./review.ts"

/** Upstream: apiserver/pkg/util/webhook/client.go, HookClient. */
const TIMEOUT_SECONDS = 30

/** The conversion of a definition with the strategy Webhook. */
interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig
  readonly conversionReviewVersions?: ReadonlyArray<string>
}

export type ConvertDone = (result: Result.Result<KubeObject, string>) => void

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf("/") + 1)

/** A caBundle of blanks is none. */
const withoutBlankBundle = (config: WebhookClientConfig): WebhookClientConfig => {
  const { caBundle = "", ...rest } = config
  return Buffer.from(caBundle, "base64").toString().trim() === "" ? rest : config
}

/** The store has no revisions in its objects. */
const withoutRevision = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const withRevisionOf = (converted: KubeObject, { metadata }: KubeObject): KubeObject =>
  metadata.resourceVersion === undefined
    ? converted
    : { ...converted, metadata: { ...converted.metadata, resourceVersion: metadata.resourceVersion } }

/** Converts custom resources by calls of the webhooks of their definitions: one call for each object. */
export class Converter {
  private readonly core: ServerCore
  private readonly client: WebhookClient
  private readonly metrics: ConversionMetrics

  constructor(core: ServerCore) {
    this.core = core
    this.client = new WebhookClient(core.registry, core.timers)
    this.metrics = new ConversionMetrics(core.metrics)
  }

  /** Converts an object to another version of its definition. An error fails this conversion and is logged. */
  convert(definition: CustomResourceDefinition, object: KubeObject, apiVersion: string, done: ConvertDone) {
    const { timers } = this.core
    const fields = { definition: definition.metadata.name ?? "" }
    const call = new GuardedCall(timers, "conversion webhook", fields, done)
    const failed = () => Result.fail(`${failurePrefix(object)} failed: internal error`)
    call.run(() => this.begin(definition, object, apiVersion, (result) => call.finish(result)), failed)
  }

  private begin(definition: CustomResourceDefinition, object: KubeObject, apiVersion: string, done: ConvertDone) {
    const { clientConfig, conversionReviewVersions = [] } = (definition.spec.conversion?.webhook ??
      {}) as WebhookConversion
    const version = reviewVersionOf(conversionReviewVersions)
    if (version === undefined || clientConfig === undefined) {
      return done(Result.fail("no supported conversion review versions"))
    }
    const conversion: Conversion = {
      version,
      uid: makeUid(this.core.random),
      object: withoutRevision(object),
      desiredAPIVersion: apiVersion
    }
    const startMs = this.metrics.now()
    const settle = (result: Result.Result<KubeObject, ConversionFault>) => {
      const call = {
        definition: definition.metadata.name ?? "",
        fromVersion: versionOf(object.apiVersion),
        toVersion: versionOf(apiVersion),
        failure: Result.isFailure(result) ? result.failure.type : undefined
      }
      this.metrics.observe(call, startMs)
      done(
        Result.isFailure(result)
          ? Result.fail(result.failure.message)
          : Result.succeed(withRevisionOf(result.success, object))
      )
    }
    const read = (answer: Fields) => readConverted(answer, conversion)
    this.client.call(withoutBlankBundle(clientConfig), reviewOf(conversion), TIMEOUT_SECONDS, read, (called) => {
      if (Result.isSuccess(called)) return settle(called.success)
      const message = `${failurePrefix(object)} failed: ${called.failure.message}`
      settle(Result.fail({ type: "conversion_webhook_call_failure", message }))
    })
  }
}
