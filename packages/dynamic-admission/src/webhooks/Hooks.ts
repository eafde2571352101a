import type { KubeObject, MutatingWebhook } from "@rollcall/api"
import type { AdmissionKinds, ObjectCache } from "../ports.ts"

/** One webhook of a configuration. */
export interface Hook {
  /** Identifies it, although a configuration may have several of one name. */
  readonly uid: string
  /** The name of its configuration. */
  readonly configuration: string
  readonly webhook: MutatingWebhook
}

interface Configuration extends KubeObject {
  readonly webhooks?: ReadonlyArray<MutatingWebhook>
}

/** The webhooks of all configurations of a kind, in the order of their names. */
export class Hooks {
  private readonly cache: ObjectCache
  private known: ReadonlyArray<Hook> | undefined

  constructor(registry: AdmissionKinds, kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") {
    this.cache = registry.kinds[kind].cache
    this.cache.observe(() => {
      this.known = undefined
    })
  }

  get isEmpty(): boolean {
    return this.cache.size === 0
  }

  /** Upstream: apiserver/pkg/admission/configuration. */
  get all(): ReadonlyArray<Hook> {
    this.known ??= this.read()
    return this.known
  }

  private read(): ReadonlyArray<Hook> {
    const found: Array<Hook> = []
    this.cache.visit(undefined, (object) => {
      const { metadata, webhooks = [] } = object as Configuration
      const counts = new Map<string, number>()
      for (const webhook of webhooks) {
        const count = counts.get(webhook.name) ?? 0
        counts.set(webhook.name, count + 1)
        const configuration = metadata.name ?? ""
        found.push({ uid: `${configuration}/${webhook.name}/${count}`, configuration, webhook })
      }
    })
    return found
  }
}
