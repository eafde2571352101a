/** The oldest release of Node that runs the published programs: the first with SQLite and with TypeScript for `--layers` without a flag. */
export const OLDEST_NODE = "22.18.0"

const numbers = (version: string): ReadonlyArray<number> => version.replace(/^v/, "").split(".").map(Number)

/** Returns the sentence for a user whose Node is too old to run `program`; undefined if this version is supported. */
export const unsupportedNode = (program: string, version: string): string | undefined => {
  const [major = 0, minor = 0] = numbers(version)
  const [oldestMajor = 0, oldestMinor = 0] = numbers(OLDEST_NODE)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `${program}: requires Node ${oldestMajor}.${oldestMinor} or newer; this is Node ${version.replace(/^v/, "")}`
}
