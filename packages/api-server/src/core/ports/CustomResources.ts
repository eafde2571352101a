import type { StoreFailure } from "@rollcall/store"
import type { ServerCore } from "../pipeline/ServerCore.ts"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/**
 * Serves custom resources. It is a parameter, so that an embedded server that serves only built-in kinds loads neither
 * schema validation nor an expression language.
 */
export interface CustomResourcesPlan {
  /** Returns the definition of the kind CustomResourceDefinition, for a server that serves its objects. */
  readonly define: (definition: KindDefinition) => KindDefinition
  /** Serves the stored definitions, then watches for changes. Calls `ready` once all stored ones are served. */
  readonly start: (core: ServerCore, ready: (error: StoreFailure | undefined) => void) => void
}
