import type { StoreFailure } from "@rollcall/store"
import type { ServerCore } from "../pipeline/ServerCore.ts"
import type { KindTable } from "../registry/table.ts"

/**
 * Serves custom resources. It is a parameter, so that an embedded server that serves only built-in kinds loads neither
 * schema validation nor an expression language.
 */
export interface CustomResourcesPlan {
  /**
   * Returns the table with the kinds whose objects have schemas or expressions, for a server that serves custom resources
   * and checks expressions.
   */
  readonly define: (table: KindTable) => KindTable
  /** Serves the stored definitions, then watches for changes. Calls `ready` once all stored ones are served. */
  readonly start: (core: ServerCore, ready: (error: StoreFailure | undefined) => void) => void
}
