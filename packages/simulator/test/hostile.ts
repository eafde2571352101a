import type { KubeObject } from "@rollcall/api"
import { ApiError, type ApiRequest, type Connection, cancellable, type WatchEvent } from "@rollcall/cluster"
import { rngOf } from "@rollcall/time"
import * as Result from "effect/Result"

/** Field values that a validating server would reject, or that are empty. */
const invalidValues: ReadonlyArray<unknown> = [
  null,
  undefined,
  "garbage",
  "",
  -1,
  1e308,
  true,
  [],
  {},
  [null],
  { a: null },
  ["a", 1, {}],
  "2026-99-99T99:99:99Z",
  "18446744073709551616Ki"
]

type Path = ReadonlyArray<string | number>

/** Fields that identify an object: they are never corrupted. */
const identityFields = new Set([
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion"
])

const pathsOf = (value: unknown, at: Path = []): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key]
    return identityFields.has(path.join(".")) ? [] : [path, ...pathsOf(child, path)]
  })
}

const replaceAt = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  const out: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as Readonly<Record<string, unknown>>) }
  const next = replaceAt(out[key], rest, by)
  if (next === undefined) delete out[key]
  else out[key] = next
  return out
}

const keepsMetadata = (path: Path): boolean => path.length > 1 || path[0] !== "metadata"

/** Replaces some fields of an object with invalid values; keeps its name. */
export const corrupt = (object: KubeObject, chance: () => number): KubeObject => {
  const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(chance() * all.length)] as A
  let out: unknown = object
  for (let left = 1 + Math.floor(chance() * 3); left > 0; left--) {
    const paths = pathsOf(out).filter(keepsMetadata)
    if (paths.length > 0) out = replaceAt(out, pick(paths), pick(invalidValues))
  }
  return out as KubeObject
}

export const isOdd = ({ metadata }: KubeObject): boolean =>
  metadata.namespace === "odd" || (metadata.name ?? "").startsWith("odd")

const isAboutOdd = (request: ApiRequest): boolean => {
  const { metadata } = ("object" in request ? request.object : {}) as Partial<KubeObject>
  const names = ["name" in request ? request.name : undefined, metadata?.name, metadata?.generateName]
  return request.namespace === "odd" || names.some((name) => name?.startsWith("odd") === true)
}

const refused = new ApiError({
  status: {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    reason: "Invalid",
    code: 422,
    message: "an odd object is not written"
  }
})

/**
 * Wraps a client's connection: while `on`, the odd objects (those in namespace `odd` or with that name prefix) are corrupted, each
 * time differently. The client cannot write them, because no server would accept them.
 */
export const makeCorruption = (seed: number) => {
  const hostile = { on: true, seen: 0 }
  const seeOf = (chance: () => number) => (object: KubeObject) => {
    if (!hostile.on || !isOdd(object)) return object
    hostile.seen++
    return corrupt(object, chance)
  }
  const wrap = (to: Connection, client: string): Connection => {
    const chance = rngOf([...client].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed))
    const see = seeOf(chance)
    return {
      send: cancellable((request, reply) => {
        if (hostile.on && isAboutOdd(request) && request.verb !== "get") {
          reply(Result.fail(refused))
          return
        }
        to.send(request, (answer) => {
          if (Result.isFailure(answer)) return reply(answer)
          const { success } = answer
          const { items } = success as { readonly items?: ReadonlyArray<KubeObject> }
          if (items !== undefined) reply(Result.succeed({ ...(success as object), items: items.map(see) }))
          else reply("metadata" in (success as object) ? Result.succeed(see(success as KubeObject)) : answer)
        })
      }),
      watch: (request, sink) =>
        to.watch(request, {
          end: sink.end,
          events: (batch) =>
            sink.events(
              batch.map((event) =>
                event.type === "ERROR" || event.type === "BOOKMARK"
                  ? event
                  : ({ ...event, object: see(event.object) } as WatchEvent)
              )
            )
        })
    }
  }
  return { hostile, wrap }
}

/**
 * Wraps a client's connection: while `on`, some requests and watches throw, and some responses and events are invalid. Affects all
 * objects.
 */
export const makeThrowing = (seed: number) => {
  const faulty = { on: true, thrown: 0 }
  const nothing: ReadonlyArray<unknown> = [null, {}, { metadata: null }]
  const wrap = (to: Connection, client: string): Connection => {
    const chance = rngOf([...client].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed))
    const strikes = (share: number) => {
      if (!faulty.on || chance() >= share) return false
      faulty.thrown++
      return true
    }
    const none = () => nothing[Math.floor(chance() * nothing.length)]
    return {
      send: cancellable((request, reply) => {
        if (strikes(0.2)) throw new Error(`by hand: ${request.verb} ${request.kind}`)
        to.send(request, (answer) => reply(strikes(0.2) ? Result.succeed(none()) : answer))
      }),
      watch: (request, sink) => {
        if (strikes(0.2)) throw new Error(`by hand: watch ${request.kind}`)
        return to.watch(request, {
          end: sink.end,
          events: (batch) =>
            sink.events(strikes(0.2) ? [...batch, { type: "MODIFIED", object: none() } as WatchEvent] : batch)
        })
      }
    }
  }
  return { faulty, wrap }
}
