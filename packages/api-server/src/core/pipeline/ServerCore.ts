import type { TimersShape } from "@rollcall/time"
import type { FieldOwnership } from "../apply/FieldOwnership.ts"
import type { KindState } from "../registry/KindState.ts"
import type { Registry } from "../registry/Registry.ts"
import type { SeededRandom } from "../registry/SeededRandom.ts"
import type { Turns } from "../turns/Turns.ts"
import type { AdmissionChains } from "./AdmissionChains.ts"
import type { Audit, Exchange } from "./Exchange.ts"

/** The services that request handlers share. */
export interface ServerCore {
  readonly registry: Registry
  readonly timers: TimersShape
  readonly random: SeededRandom
  readonly admission: AdmissionChains
  /** Where long requests yield. */
  readonly turns: Turns
  /** Maintains managedFields and decodes the results of patches as strictly as bodies; undefined: neither. */
  readonly ownership: FieldOwnership | undefined
  audit: Audit | undefined
}

/** Handles one kind of request. */
export type Handler<Request> = (core: ServerCore, exchange: Exchange, state: KindState, request: Request) => void
