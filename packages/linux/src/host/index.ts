// The machine's files and interfaces.

export { type FileSystem, type Interfaces, makeSystem, type System, type SystemOptions } from "./System.ts"

// Manifests of static pods.

export { type ManifestUrl, pollManifests } from "./manifests/pollManifests.ts"
export type { ManifestProblem, ManifestReading } from "./manifests/readManifests.ts"
export { watchManifests } from "./manifests/watchManifests.ts"
