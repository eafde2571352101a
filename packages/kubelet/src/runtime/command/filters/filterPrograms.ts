import { awk } from "./awk.ts"
import type { FilterProgram } from "./Filter.ts"
import { lineFilters } from "./lineFilters.ts"
import { patternFilters } from "./patternFilters.ts"
import { sed } from "./sed.ts"

/** Programs that read lines and write others. */
const filterPrograms: Readonly<Record<string, FilterProgram>> = { ...lineFilters, ...patternFilters, awk, sed }

export const filterNames: ReadonlyArray<string> = Object.keys(filterPrograms)

/** Returns the filter of a name; undefined if there is none. */
export const filterNamed = (name: string): FilterProgram | undefined =>
  Object.hasOwn(filterPrograms, name) ? filterPrograms[name] : undefined
