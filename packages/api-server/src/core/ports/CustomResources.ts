import type { StoreFailure } from "@rollcall/store"
import type { ServerCore } from "../pipeline/ServerCore.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/**
 * How a server serves what CustomResourceDefinitions define. It is handed in, so that whoever embeds a server for the kinds that
 * it knows carries neither schema validation nor an expression language.
 */
export interface CustomResourcesPlan {
  /** The kind CustomResourceDefinition itself, as it behaves where its objects are acted upon. */
  readonly define: (definition: KindDefinition) => KindDefinition
  /** Serves what is stored, then follows. Calls back once all that was stored is served. */
  readonly start: (core: ServerCore, ready: (error: StoreFailure | undefined) => void) => void
}
