import { formatTime } from "@rollcall/api"

/*
 * The pages /statusz and /flagz: as text for people, or as an object of config.k8s.io. Upstream:
 * apiserver/pkg/server/{statusz,flagz}, component-base/zpages.
 */

/** The kinds of the pages. */
export type ZPageKind = "Statusz" | "Flagz"

/** How a page is sent. */
export interface ZPageForm {
  readonly encoding: "text" | "json" | "yaml"
  /** The version of the object; empty for text. */
  readonly version: string
}

const GROUP = "config.k8s.io"
const versions: ReadonlySet<string> = new Set(["v1alpha1", "v1beta1"])
const encodings: Readonly<Record<string, ZPageForm["encoding"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "text/plain": "text",
  "text/*": "text",
  "*/*": "text"
}

/** The media types that a refusal names. */
export const zpageTypes: ReadonlyArray<string> = ["application/json", "application/yaml", "text/plain"]

/** Returns how a client wants a page; undefined if it accepts no form of it. Structured forms name their kind. */
export const zpageForm = (accept: string | undefined, kind: ZPageKind): ZPageForm | undefined => {
  if (accept === undefined || accept.trim() === "") return { encoding: "text", version: "" }
  const clauses = accept.split(",").map((clause) => {
    const [type = "", ...rest] = clause.split(";").map((part) => part.trim())
    const parameters = new Map(rest.map((part) => part.split("=", 2) as [string, string]))
    return { type, parameters, quality: Number(parameters.get("q") ?? 1) }
  })
  for (const { parameters, type } of clauses.toSorted((left, right) => right.quality - left.quality)) {
    const encoding = encodings[type]
    if (encoding === undefined) continue
    const [as, group, version = ""] = [parameters.get("as"), parameters.get("g"), parameters.get("v")]
    if (encoding === "text" && as === undefined) return { encoding, version: "" }
    if (encoding !== "text" && as === kind && group === GROUP && versions.has(version)) return { encoding, version }
  }
  return undefined
}

/** Returns the Content-Type of a structured page. */
export const zpageType = (kind: ZPageKind, { encoding, version }: ZPageForm): string =>
  `application/${encoding};g=${GROUP};v=${version};as=${kind}`

/** Returns the warning of a structured page; undefined for the newest version. */
export const zpageWarning = (kind: ZPageKind, { version }: ZPageForm): string | undefined =>
  version === "v1alpha1"
    ? `This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`
    : undefined

/** What /statusz shows. */
export interface StatuszFacts {
  readonly startedMs: number
  readonly nowMs: number
  readonly goVersion: string
  /** `1.36` */
  readonly binaryVersion: string
  readonly emulationVersion: string
  readonly paths: ReadonlyArray<string>
}

const SECOND_MS = 1000

const objectOf = (kind: ZPageKind, name: string, version: string) => ({
  kind,
  apiVersion: `${GROUP}/${version}`,
  metadata: { name }
})

/** Returns the object of /statusz. */
export const statuszObject = (name: string, version: string, facts: StatuszFacts): object => ({
  ...objectOf("Statusz", name, version),
  startTime: formatTime(Math.floor(facts.startedMs / SECOND_MS) * SECOND_MS),
  uptimeSeconds: Math.floor((facts.nowMs - facts.startedMs) / SECOND_MS),
  goVersion: facts.goVersion,
  binaryVersion: facts.binaryVersion,
  emulationVersion: facts.emulationVersion,
  paths: facts.paths
})

/** Returns the object of /flagz. */
export const flagzObject = (name: string, version: string, flags: Readonly<Record<string, string>>): object => ({
  ...objectOf("Flagz", name, version),
  flags
})
