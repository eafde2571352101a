import type { KubeObject } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import type { Identity } from "./Identity.ts"

/** A request that may have written, and what came of it. */
export interface AuditRecord {
  readonly identity: Identity
  readonly request: ApiRequest
  readonly code: number
  /** The object as the request left it, its last state if it is gone; undefined when the request was refused. */
  readonly object: KubeObject | undefined
}

/**
 * Called once for each write (a deletecollection: also for each object that it deletes), after it has taken effect and before its client is
 * answered. What it throws is handed to `handleError`, and the request goes on.
 */
export type Audit = (record: AuditRecord) => void
