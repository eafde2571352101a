import type { Adapters } from "../Adapter.ts"

/** Every subject that Rollcall answers for. */
export const adapters: Adapters = {}
