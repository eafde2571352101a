import type { Adapters } from "../Adapter.ts"
import { apiAdapters } from "./api.ts"

/** Every subject that Rollcall answers for. */
export const adapters: Adapters = {
  ...apiAdapters
}
