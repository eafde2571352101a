import * as Effect from "effect/Effect"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import { collectionOf, objectNamed, type Resource } from "./Resource.ts"
import { ownObjects } from "./reads.ts"
import { type Step, withoutToken } from "./writes.ts"

/** A text of each server for the same thing: a revision, or where a list continues. */
type Both = readonly [string, string]

/** Several objects of a kind, and what the servers said of them. */
interface Population {
  readonly resource: Resource
  readonly names: ReadonlyArray<string>
  /** From the first write on; the last is at least that of the last write. */
  readonly revisions: Array<Both>
  readonly tokens: Array<{ readonly token: Both; readonly selector: string }>
}

/** Asks both servers, and returns what each answered. */
export type AskBoth = (step: Step) => Effect.Effect<{ readonly bodies: ReadonlyArray<Buffer> }>

const selectorsOf = (name: string): ReadonlyArray<string> => [
  "",
  "",
  "labelSelector=app%3Da",
  "labelSelector=app%21%3Da",
  "labelSelector=%21app",
  "labelSelector=app%20in%20(a,b),x",
  `fieldSelector=metadata.name%3D${name}`,
  `fieldSelector=metadata.name%21%3D${name}`,
  `labelSelector=app&fieldSelector=metadata.name%21%3D${name}`
]

const accepts = [
  "application/json",
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
]

/** Whether a population of the kind is all that its collection has. */
export const canPopulate = ({ isDry, kind }: Resource): boolean => !isDry && ownObjects[kind] === undefined

/** Returns a step whose query has, for each server, its own text of what it chose. */
const asked = (label: string, method: string, path: string, more: object, query: (side: 0 | 1) => string): Step => ({
  label,
  question: { method, path: `${path}?${query(0)}`, ...more },
  own: { method, path: `${path}?${query(1)}`, ...more }
})

const joined = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join("&")

const listing = (random: Random, { names, resource, revisions, tokens }: Population): Step => {
  const path = collectionOf(resource)
  const more = { headers: { Accept: random.pick(accepts) } }
  const limit = random.pick(["", "limit=1", "limit=2", "limit=2", "limit=100"])
  const include = random.pick(["", "", "includeObject=None", "includeObject=Object", "includeObject=Metadata"])
  const before = tokens.length > 0 && random.chance(0.5) ? random.pick(tokens) : undefined
  if (before !== undefined) {
    const selector = random.chance(0.8) ? before.selector : random.pick(selectorsOf(random.pick(names)))
    const extra = random.chance(0.1) ? "resourceVersion=1" : random.chance(0.05) ? "resourceVersionMatch=Exact" : ""
    const query = (side: 0 | 1) =>
      joined(limit, `continue=${encodeURIComponent(before.token[side])}`, selector, extra, include)
    return asked("LIST continued", "GET", path, more, query)
  }
  const selector = random.pick(selectorsOf(random.pick(names)))
  const latest = revisions.at(-1) ?? ["0", "0"]
  const [revision, match] = random.pick<readonly [Both | undefined, string]>([
    [undefined, ""],
    [undefined, ""],
    [latest, ""],
    [latest, "NotOlderThan"],
    [random.pick(revisions), "Exact"]
  ])
  const at = (side: 0 | 1) => (revision === undefined ? "" : `resourceVersion=${revision[side]}`)
  const matched = match === "" ? "" : `resourceVersionMatch=${match}`
  return asked("LIST several", "GET", path, more, (side) => joined(limit, selector, at(side), matched, include))
}

const watching = (random: Random, { names, resource, revisions }: Population): Step => {
  const revision = random.pick(revisions)
  const selector = random.pick(selectorsOf(random.pick(names)))
  const options = random.pick([
    "",
    "",
    "allowWatchBookmarks=true",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
  ])
  // A watch that begins with what there is may do so at any later state: only that at the last is known.
  const from = options.startsWith("send") ? (revisions.at(-1) ?? revision) : revision
  const include = random.pick(["", "includeObject=None", "includeObject=Object"])
  const more = { headers: { Accept: random.pick(accepts.slice(0, 3)) } }
  const query = (side: 0 | 1) =>
    joined("watch=1&timeoutSeconds=1", `resourceVersion=${from[side]}`, selector, options, include)
  return asked("WATCH from", "GET", collectionOf(resource), more, query)
}

const labelled = (random: Random, { names, resource }: Population): Step => {
  const labels = random.pick<JsonObject>([{ app: "a" }, { app: "b" }, { app: null }, { x: "y" }, { x: null, app: "a" }])
  const headers = { "Content-Type": "application/merge-patch+json" }
  const question = {
    method: "PATCH",
    path: `${collectionOf(resource)}/${random.pick(names)}?fieldManager=${random.pick(["f", "g"])}`,
    body: JSON.stringify({ metadata: random.chance(0.2) ? { annotations: labels } : { labels } }),
    headers
  }
  return { label: "PATCH labels", question }
}

const removing = (random: Random, { names, resource, revisions }: Population): Step => {
  const path = collectionOf(resource)
  if (random.chance(0.5)) {
    const question = { method: "DELETE", path: `${path}/${random.pick(names)}`, body: { gracePeriodSeconds: 0 } }
    return { label: "DELETE one", question }
  }
  const selector = random.pick(selectorsOf(random.pick(names)).slice(2))
  const option = random.pick(["", "", "limit=1", "dryRun=All", "propagationPolicy=Orphan", "gracePeriodSeconds=0"])
  const revision = random.chance(0.2) ? random.pick(revisions) : undefined
  const query = (side: 0 | 1) =>
    joined(
      selector,
      option,
      revision === undefined ? "" : `resourceVersion=${revision[side]}&resourceVersionMatch=Exact`
    )
  return asked("DELETECOLLECTION several", "DELETE", path, {}, query)
}

const member = (random: Random, resource: Resource, name: string): Step => {
  const object = objectNamed(resource, name)
  const labels = random.pick<JsonObject>([{}, { app: "a" }, { app: "b", x: "y" }])
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const body = withoutToken(resource, { ...object, metadata: { ...metadata, labels } })
  return { label: "POST member", question: { method: "POST", path: collectionOf(resource), body } }
}

const stepOf = (random: Random, population: Population): Step => {
  const choice = random.next()
  if (choice < 0.5) return listing(random, population)
  if (choice < 0.62) return watching(random, population)
  if (choice < 0.8) return labelled(random, population)
  if (choice < 0.92) return removing(random, population)
  return member(random, population.resource, random.pick(population.names))
}

const metadataOf = (body: Buffer | undefined): JsonObject => {
  try {
    const value = JSON.parse((body ?? "").toString()) as Json
    return isObject(value) && isObject(value.metadata) ? value.metadata : {}
  } catch {
    return {}
  }
}

const bothOf = (bodies: ReadonlyArray<Buffer>, field: string): Both | undefined => {
  const [left, right] = bodies.map((body) => metadataOf(body)[field])
  return typeof left === "string" && left !== "" && typeof right === "string" ? [left, right] : undefined
}

const STEPS = 10

/** Makes several objects, and lists, watches, changes and removes them: in pages, at revisions, by selectors. */
export const runPopulation = Effect.fnUntraced(function* (
  ask: AskBoth,
  resource: Resource,
  random: Random,
  number: number
) {
  const names = ["a", "b", "a.b", "a-b", "a0"].slice(0, 3 + random.below(3)).map((end) => `o-${number}-${end}`)
  const population: Population = { resource, names, revisions: [], tokens: [] }
  const askAndNote = Effect.fnUntraced(function* (step: Step) {
    const { bodies } = yield* ask(step)
    const revision = bothOf(bodies, "resourceVersion")
    if (revision !== undefined && step.question.method !== "GET") population.revisions.push(revision)
    const token = bothOf(bodies, "continue")
    const selector = joined(...(step.question.path.match(/(?:label|field)Selector=[^&]*/g) ?? []))
    if (token !== undefined) population.tokens.push({ token, selector })
    if (step.question.method !== "DELETE") return
    // A delete does not say at which revision it was.
    const path = `${collectionOf(resource)}?limit=1`
    const listed = yield* ask({ label: "LIST one", question: { method: "GET", path } })
    const current = bothOf(listed.bodies, "resourceVersion")
    if (current !== undefined) population.revisions.push(current)
  })
  for (const name of names) yield* askAndNote(member(random, resource, name))
  if (population.revisions.length > 0) {
    for (let count = 0; count < STEPS; count++) yield* askAndNote(stepOf(random, population))
  }
  return names.map((name) => `${collectionOf(resource)}/${name}`)
})
