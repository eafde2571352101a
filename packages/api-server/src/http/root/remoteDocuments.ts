import { createHash } from "node:crypto"
import type { OpenApiDocument } from "@rollcall/openapi"
import type { Steps } from "@rollcall/time"
import type { Routes } from "../request/Routes.ts"
import { loadOpenApi } from "./openApiKinds.ts"

/** Adds the documents of other API servers to the index. */
export const withRemote = (own: { readonly hash: string; readonly json: string }, { remote }: Routes) => {
  const urls = remote.flatMap(({ group, openApiUrl, version }) =>
    openApiUrl === undefined ? [] : [[`apis/${group}/${version}`, { serverRelativeURL: openApiUrl }] as const]
  )
  if (urls.length === 0) return own
  const { paths, ...rest } = JSON.parse(own.json) as { readonly paths: object }
  const json = JSON.stringify({ paths: { ...paths, ...Object.fromEntries(urls) }, ...rest })
  return { hash: createHash("sha512").update(json).digest("hex").toUpperCase(), json }
}

interface Merged {
  readonly own: OpenApiDocument
  readonly generation: number
  readonly whole: OpenApiDocument
}

/**
 * Returns what adds the parts of other API servers to a document of version 2. `forget` is called with the hash of a
 * document that is replaced.
 */
export const makeWholeV2 = (routes: Routes, forget: (hash: string) => void) => {
  let merged: Merged | undefined
  return function* (own: OpenApiDocument): Steps<OpenApiDocument> {
    const specs = routes.remote.flatMap(({ spec }) => spec ?? [])
    if (specs.length === 0) return own
    const generation = routes.remoteGeneration
    if (merged === undefined || merged.own !== own || merged.generation !== generation) {
      const { documentInSteps, mergeSpecs } = yield* loadOpenApi()
      const whole = yield* documentInSteps(mergeSpecs(JSON.parse(own.json), specs), "v2")
      if (merged !== undefined) forget(merged.whole.hash)
      merged = { own, generation, whole }
    }
    return merged.whole
  }
}
