/**
 * The releases of Node that run the published programs, as in each manifest. In older ones SQLite refuses the store's numbered parameters, or
 * agents know no proxy. Odd majors are supported by nobody.
 */
export const SUPPORTED_NODE = "^22.21.0 || >=24.8.0"

/** Returns the sentence for a user whose Node is too old to run `program`; undefined if this version is supported. */
export const unsupportedNode = (program: string, version: string): string | undefined => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  if (major > 24 || (major === 24 && minor >= 8) || (major === 22 && minor >= 21)) return undefined
  return `${program}: requires Node 24.8 or newer, or 22.21 or newer of Node 22; this is Node ${version.replace(/^v/, "")}`
}
