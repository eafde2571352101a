import * as Effect from "effect/Effect"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import { type Asking, answered, askBoth } from "./asking.ts"
import { harmless } from "./bases.ts"
import { chosen, type Pairs } from "./pairs.ts"
import { damagedBytes } from "./protobuf.ts"
import type { Random } from "./Random.ts"
import { collectionOf, type Resource } from "./Resource.ts"
import { deletion } from "./removals.ts"
import { further, pathOfOther } from "./session.ts"
import { asUser } from "./surroundings.ts"
import { creation, plainCreation, type Step } from "./writes.ts"

export const objectOf = (bytes: Buffer | undefined): JsonObject | undefined => {
  try {
    const value = JSON.parse((bytes ?? "").toString()) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the genuine server's object without what only it knows. */
export const shared = (object: JsonObject): JsonObject => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const { creationTimestamp: _, managedFields: __, resourceVersion: ___, ...rest } = metadata
  return { ...object, metadata: rest }
}

const PROTOBUF = "application/vnd.kubernetes.protobuf"

/** Reads the object in protobuf, and writes it back as each server wrote it. */
const askInProtobuf = Effect.fnUntraced(function* (asking: Asking, resource: Resource, path: string, random: Random) {
  const headers = { Accept: PROTOBUF }
  const step = { label: "GET protobuf", question: { method: "GET", path, headers } }
  const [theirs, own] = (yield* askBoth(asking, shownKind(resource), step)).bodies
  // The addresses of Services are of other ranges.
  if (random.chance(0.4) && resource.kind !== "Service" && theirs !== undefined && theirs.length > 0) {
    const question = {
      method: "POST",
      path: `${collectionOf(resource)}?dryRun=All`,
      bytes: damagedBytes(random, theirs),
      headers: { "Content-Type": PROTOBUF, Accept: "application/json" }
    }
    yield* askBoth(asking, shownKind(resource), { label: "POST damaged protobuf", question })
  }
  const [method, at] = random.pick([
    ["PUT", path],
    ["POST", collectionOf(resource)]
  ] as const)
  const written = (bytes: Buffer | undefined) => {
    const types = { "Content-Type": PROTOBUF, Accept: random.pick([PROTOBUF, "application/json"]) }
    return { method, path: at, bytes: bytes ?? Buffer.alloc(0), headers: types }
  }
  const question = written(theirs)
  const answered = { label: `${method} protobuf`, question, own: { ...question, bytes: own ?? Buffer.alloc(0) } }
  yield* askBoth(asking, shownKind(resource), answered)
})

/**
 * Makes an object on both servers, changes and reads it a few times, and removes it. Some requests are those of `user`, if
 * there is one. Returns the paths of what it made.
 */
export const runSession = Effect.fnUntraced(function* (
  asking: Asking,
  resource: Resource,
  random: Random,
  number: string,
  user?: string
) {
  const { isDry, kind } = resource
  asking.findings.earlier = []
  const keepsBase = harmless.has(kind) && random.chance(0.7)
  const step = keepsBase ? plainCreation(resource, `o-${number}`) : creation(random, resource, `o-${number}`)
  const ask = (step: Step, shown: string, pairs?: Pairs, userChance = 0.5) =>
    askBoth(asking, shown, user !== undefined && random.chance(userChance) ? asUser(step, user) : step, pairs)
  const made = yield* ask(step, shownKind(resource), undefined, 0.2)
  const object = objectOf(made.bodies[0])
  const own = objectOf(made.bodies[1])
  const pairs = object === undefined || own === undefined ? [] : chosen(object, own)
  const isStored = made.genuine.code === 201 || made.ours.code === 201
  if (!isStored || object === undefined) return []
  const paths = [object, own].map((each) => pathOf(resource, each, `o-${number}`))
  const path = paths[0] ?? ""
  let hasOther = false
  if (made.genuine.code === made.ours.code && (!isDry || keepsBase) && paths[0] === paths[1]) {
    if (random.chance(0.15)) yield* askInProtobuf(asking, resource, path, random)
    for (let count = 1 + random.below(5); count > 0; count--) {
      const step = further(random, resource, path, shared(object))
      hasOther ||= step.question.path.includes(pathOfOther(path.split("/").at(-1) ?? ""))
      const next = yield* ask(step, shownKind(resource), pairs)
      if (next.key !== undefined && next.genuine.code !== next.ours.code) break
    }
    yield* ask(deletion(random, path), kind, pairs)
  }
  const left = (index: number) => {
    const own = paths[index] ?? path
    return hasOther ? [own, pathOfOther(own)] : [own]
  }
  yield* removeAll(asking, left)
  return [...left(0), ...left(1)]
})

/** Removes what a session may have left on a server. */
export const removeAll = Effect.fnUntraced(function* (
  asking: Asking,
  pathsOn: (index: number) => ReadonlyArray<string>
) {
  const finalizers = { metadata: { finalizers: null } }
  const headers = { "Content-Type": "application/merge-patch+json" }
  for (const [index, { ask }] of asking.sides.entries()) {
    for (const at of pathsOn(index)) {
      const removal = { method: "DELETE", path: at, body: { gracePeriodSeconds: 0 } }
      for (const question of [removal, { method: "PATCH", path: at, body: finalizers, headers }, removal]) {
        const { body, status } = yield* answered(ask(question))
        if (status === 0) process.stderr.write(`${index === 0 ? "genuine" : "ours"}: ${body}\n`)
      }
    }
  }
})

export const shownKind = ({ isCustom, kind }: Resource): string => (isCustom ? "Custom" : kind)

const pathOf = (resource: Resource, object: JsonObject | undefined, name: string): string => {
  const metadata = isObject(object?.metadata) ? object.metadata : {}
  return `${collectionOf(resource)}/${encodeURIComponent(String(metadata.name ?? name))}`
}
