import type { TimersShape } from "@rollcall/time"
import type { FieldOwnership } from "../apply/FieldOwnership.ts"
import type { KindState } from "../registry/KindState.ts"
import type { Registry } from "../registry/Registry.ts"
import type { SeededRandom } from "../registry/SeededRandom.ts"
import type { Turns } from "../turns/Turns.ts"
import type { AdmissionChains } from "./AdmissionChains.ts"
import type { Audit, Exchange } from "./Exchange.ts"

/** What the handlers of requests share. */
export interface ServerCore {
  readonly registry: Registry
  readonly timers: TimersShape
  readonly random: SeededRandom
  readonly admission: AdmissionChains
  /** Where long requests pause. */
  readonly turns: Turns
  /** Keeps managedFields and reads what patches make as strictly as bodies; undefined: neither. */
  readonly ownership: FieldOwnership | undefined
  audit: Audit | undefined
}

/** How a request is answered, of its kind. */
export type Handler<Request> = (core: ServerCore, exchange: Exchange, state: KindState, request: Request) => void
