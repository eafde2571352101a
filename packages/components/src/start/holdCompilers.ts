import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"

/** About as long as the modules of a server take to load. */
const HOLD_MS = 300

/** Sets the names of the functions that V8's two optimizing compilers may compile. */
const setFilters = (filter: string): void => {
  for (const compiler of ["maglev", "turbo"]) setFlagsFromString(`--${compiler}-filter=${filter}`)
}

/**
 * Keeps V8's optimizing compilers from work while a server loads its modules. They would compile a few functions that
 * find and link modules, and what that takes, also of the compilers' own code, stays in memory: 6 MiB, or 20 MiB if the store has 5,000
 * nodes.
 */
export const holdCompilers = (): void => {
  setFilters("-*")
  void sleep(HOLD_MS, undefined, { ref: false }).then(() => setFilters("*"))
}
