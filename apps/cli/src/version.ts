import manifest from "../package.json" with { type: "json" }

/** The version of the package, as in its package.json: `1.2.3`. */
export const version = manifest.version
