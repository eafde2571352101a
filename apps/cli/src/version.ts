import { readFileSync } from "node:fs"

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string
}

/** The version of the package, as in its package.json: `1.2.3`. */
export const version = manifest.version
