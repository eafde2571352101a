import { type CustomResourceDefinition, genericResponse, type Status } from "@rollcall/api"
import type { StoreFailure } from "@rollcall/store"
import { sameValue } from "../../core/objects/values.ts"
import type { KindDefinition } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Registry } from "../../core/registry/Registry.ts"
import { storedKind, versionKind } from "./kindsOf.ts"

type Done = (error: StoreFailure | undefined) => void

/** The kinds of one definition in the registry: the stored kind, and a view of it for each served version. */
export class ServedKind {
  private readonly registry: Registry
  private readonly stored: KindDefinition
  private readonly emptied: () => void
  private readonly versions = new Map<string, { readonly key: string; readonly said: unknown }>()
  private waiting: Array<Done> | undefined
  private present = false
  private ended = false
  private latest: CustomResourceDefinition

  /** `emptied` is called when the last object of a terminating definition has been removed. */
  constructor(registry: Registry, definition: CustomResourceDefinition, emptied: () => void) {
    this.registry = registry
    this.latest = definition
    this.stored = storedKind(definition)
    this.emptied = emptied
  }

  /** Returns the stored kind; undefined until it has been read. */
  base(): KindState | undefined {
    return this.present ? this.registry.kind(this.stored.key) : undefined
  }

  /** Serves the present state of the definition. Unchanged versions keep their watches. */
  serve(definition: CustomResourceDefinition, done: Done) {
    this.latest = definition
    if (this.present) {
      this.showVersions()
      return done(undefined)
    }
    if (this.waiting !== undefined) {
      this.waiting.push(done)
      return
    }
    const waiting = [done]
    this.waiting = waiting
    try {
      this.registry.add(this.stored, (error) => {
        this.waiting = undefined
        if (this.ended) this.registry.removeKind(this.stored.key)
        else if (error === undefined) this.begin()
        for (const each of waiting) each(error)
      })
    } catch (error) {
      // Cleared, because the next attempt would otherwise wait for this one.
      this.waiting = undefined
      throw error
    }
  }

  /** Stops serving it; its watches end. */
  end() {
    this.ended = true
    for (const { key } of this.versions.values()) this.registry.removeKind(key)
    this.versions.clear()
    if (this.present) this.registry.removeKind(this.stored.key)
    this.present = false
  }

  private begin() {
    this.present = true
    const cache = this.base()?.cache
    cache?.observe((object) => {
      if (object === undefined && cache.size === 0 && this.isTerminating()) this.emptied()
    })
    this.showVersions()
  }

  private isTerminating(): boolean {
    return this.latest.metadata.deletionTimestamp !== undefined
  }

  private showVersions() {
    const { spec, status } = this.latest
    const shown = new Set<string>()
    for (const version of spec.versions) {
      if (!version.served) continue
      shown.add(version.name)
      const storage = spec.versions.find((each) => each.storage)?.name
      const said = { version: { ...version, storage: undefined }, names: status?.acceptedNames, storage }
      const known = this.versions.get(version.name)
      if (known !== undefined && sameValue(known.said, said)) continue
      const entry = versionKind(this.latest, version, () => (this.isTerminating() ? noCreation : undefined))
      this.versions.set(version.name, { key: entry.key, said })
      this.registry.add(entry)
    }
    for (const [name, { key }] of this.versions) {
      if (shown.has(name)) continue
      this.versions.delete(name)
      this.registry.removeKind(key)
    }
  }
}

/** Upstream: customresource_handler.go, ServeHTTP. */
const noCreation: Status = {
  ...genericResponse(405),
  message: "create not allowed while custom resource definition is terminating"
}
