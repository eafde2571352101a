/** The levels of the Pod Security Standards, from the least to the most strict. */
export const levels = ["privileged", "baseline", "restricted"] as const

export type Level = (typeof levels)[number]

/** The minor release whose checks apply, or `latest` for those of the newest release that is known. */
export type Version = "latest" | `v1.${number}`

export interface LevelVersion {
  readonly level: Level
  readonly version: Version
}

/** Returns the level of this name; undefined if there is none. */
export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text)

const MINOR = /^v1\.(0|[1-9][0-9]*)$/

/** The largest minor release that Go's int can hold. */
const MAX_MINOR = 2n ** 63n - 1n

/** Returns the version; undefined if the text is neither `latest` nor `v1.` and a number. */
export const parseVersion = (text: string): Version | undefined => {
  if (text === "latest") return text
  const minor = MINOR.exec(text)?.[1]
  return minor === undefined || BigInt(minor) > MAX_MINOR ? undefined : (text as Version)
}

/** Returns the minor release of a version; infinity for `latest`. */
export const minorOf = (version: Version): number =>
  version === "latest" ? Number.POSITIVE_INFINITY : Number(version.slice("v1.".length))

/** Positive if the first level is more strict than the second, negative if it is less strict. */
export const compareLevels = (left: Level, right: Level): number => levels.indexOf(left) - levels.indexOf(right)

/** Formats a level with its version: `baseline:v1.24`. */
export const formatLevelVersion = ({ level, version }: LevelVersion): string => `${level}:${version}`
