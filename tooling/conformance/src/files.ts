import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { VectorFile } from "./Adapter.ts"

const isVectorFile = (value: unknown): value is VectorFile =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as VectorFile).subject === "string" &&
  Array.isArray((value as VectorFile).cases)

/** Reads all vector files of a folder, sorted by name. Throws an error that names the file if one is not a vector file. */
export const readVectorFiles = (directory: string): ReadonlyArray<VectorFile> =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const file = join(directory, name)
      let value: unknown
      try {
        value = JSON.parse(readFileSync(file, "utf8"))
      } catch (error) {
        throw new Error(`${file}: not JSON: ${error instanceof Error ? error.message : String(error)}`)
      }
      if (!isVectorFile(value)) throw new Error(`${file}: expected an object with "subject" and "cases"`)
      return value
    })

/** Returns whether a subject matches a glob. `*` matches anything within a segment, `**` anything, `?` one character, `{a,b}` either. */
export const matchesGlob = (glob: string, subject: string): boolean => {
  let pattern = ""
  for (let index = 0; index < glob.length; index++) {
    const character = glob.charAt(index)
    if (glob.startsWith("**", index)) {
      pattern += ".*"
      index++
    } else if (character === "*") pattern += "[^/]*"
    else if (character === "?") pattern += "[^/]"
    else if (character === "{") pattern += "(?:"
    else if (character === "}") pattern += ")"
    else if (character === "," && pattern.includes("(?:")) pattern += "|"
    else pattern += character.replace(/[\\^$.|+()[\]]/, "\\$&")
  }
  return new RegExp(`^${pattern}$`).test(subject)
}
